import { useEffect, useState } from 'react'
import { openUpload, type Upload } from '#browser/upload.ts'
import { currentToken } from '../session/token.ts'

// Uploads whose page went away because the session ended: they need the token of their package and no session.
const left = new Map<string, Upload>()

/**
 * An upload has a worker of its own, which ends with the page. Where the session ended under it, it goes on, and whoever
 * signs in again at the same place finds it.
 */
export function useUpload(place: string, round: number): Upload | undefined {
  const [upload, setUpload] = useState<Upload>()
  useEffect(() => {
    const opened = left.get(place) ?? openUpload()
    left.delete(place)
    setUpload(opened)
    return () => {
      if (currentToken() === undefined && opened.view().packageId !== undefined) left.set(place, opened)
      else opened.close()
    }
  }, [place, round])
  return upload
}
