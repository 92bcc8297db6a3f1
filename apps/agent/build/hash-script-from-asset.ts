import { getAsset } from 'node:sea'

/** The script of the threads that compute checksums, inside of an executable. */
export const hashScript = new URL(
  `data:text/javascript;base64,${Buffer.from(getAsset('hash-thread.mjs')).toString('base64')}`,
)
