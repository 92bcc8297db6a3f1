import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

const squeezable = /\.(?:js|css|html|svg|json)$/

/** Writes `.br` and `.gz` beside each file of the build, so that the server compresses nothing while it serves. */
export const precompressed = (): Plugin => ({
  name: 'longshore-precompressed',
  apply: 'build',
  async writeBundle({ dir = '' }, bundle) {
    for (const name of Object.keys(bundle).filter((name) => squeezable.test(name))) {
      const file = join(dir, name)
      const content = await readFile(file)
      await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
      await writeFile(`${file}.br`, await brotli(content))
    }
  },
})

const brotli = (content: Buffer) =>
  promisify(brotliCompress)(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } })
