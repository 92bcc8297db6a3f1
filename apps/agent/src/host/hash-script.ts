/** The script of the threads that compute checksums: beside this file, and beside a bundle as JavaScript. */
export const hashScript = new URL(
  import.meta.url.endsWith('.ts') ? './hash-thread.ts' : './hash-thread.js',
  import.meta.url,
)
