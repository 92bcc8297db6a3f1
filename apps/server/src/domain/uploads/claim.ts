import { hash } from 'node:crypto'
import { maxChunkCount } from '@longshore/contract/limits'
import type { StoredPart } from '#blob/port'
import { invalid } from '#domain/refusal'

/** What a client says it has uploaded of one file. */
export interface FileClaim {
  readonly size: number
  readonly chunk_extras?: readonly { readonly part_number: string | number; readonly etag: string }[]
  readonly file_extras?: { readonly upload_id: string }
  readonly etag?: string
  readonly checksums?: { readonly sha256?: string; readonly crc32?: string }
}

export interface ClaimedPart {
  readonly partNumber: number
  readonly etag: string
}

export const plainEtag = (etag: string): string => etag.replace(/^"|"$/g, '')

/** The claimed parts in order. They must be 1 to N without gaps, each once. */
export function claimedParts(claim: FileClaim): readonly ClaimedPart[] {
  const parts = (claim.chunk_extras ?? [])
    .map((extra) => ({ partNumber: Number(extra.part_number), etag: plainEtag(extra.etag) }))
    .toSorted((a, b) => a.partNumber - b.partNumber)
  if (parts.length === 0) throw invalid('chunk_extras', 'is required for a file that is uploaded in chunks')
  const gap = parts.findIndex((part, index) => part.partNumber !== index + 1)
  if (gap >= 0 || parts.length > maxChunkCount) {
    throw invalid('chunk_extras', `must name each part from 1 to ${parts.length} once`)
  }
  return parts
}

/** Tells two claims apart: a repeat of the same one is answered like the first. */
export const claimDigest = (uploadId: string, size: number, parts: readonly ClaimedPart[]): Buffer =>
  hash('sha256', JSON.stringify([uploadId, size, parts.map((part) => part.etag)]), 'buffer')

/** The ETag that the joined object must have, where the store makes them from MD5s; undefined where it does not. */
export function joinedEtag(parts: readonly ClaimedPart[]): string | undefined {
  if (!parts.every((part) => /^[0-9a-f]{32}$/i.test(part.etag))) return undefined
  const digests = Buffer.from(parts.map((part) => part.etag).join(''), 'hex')
  return `${hash('md5', digests)}-${parts.length}`
}

/** What the store's own list has against the claim, or undefined when they agree. */
export function disagreement(claimed: readonly ClaimedPart[], size: number, stored: readonly StoredPart[]) {
  if (stored.length !== claimed.length) {
    return `storage has ${stored.length} part(s), ${claimed.length} were named. Ask for the chunks and send what is missing.`
  }
  const other = claimed.find((part, index) => {
    const there = stored[index]
    return there === undefined || there.partNumber !== part.partNumber || there.etag !== part.etag
  })
  if (other !== undefined) return `part ${other.partNumber} in storage has another etag. Send that part again.`
  const sum = stored.reduce((bytes, part) => bytes + part.size, 0)
  if (sum !== size) return `storage has ${sum} bytes, ${size} were named.`
  return undefined
}

export const checksumsOf = (claim: FileClaim) => ({
  sha256: claim.checksums?.sha256 === undefined ? null : Buffer.from(claim.checksums.sha256, 'hex'),
  crc32: claim.checksums?.crc32 === undefined ? null : Buffer.from(claim.checksums.crc32, 'hex'),
})
