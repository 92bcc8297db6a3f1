import assert from 'node:assert/strict'
import { appendFile, chmod, mkdir, rename, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { MiB } from '@longshore/contract/limits'
import { newAgentGround, sha256Of, writeRandom } from '#agent-ground'

const size = 12 * MiB

/** What somebody does to a file while it is sent. */
const changes: Readonly<Record<string, (path: string) => Promise<unknown>>> = {
  truncated: (path) => truncate(path, 7 * MiB),
  grown: (path) => appendFile(path, 'more'),
  rewritten: (path) => writeRandom(path, size),
  replaced: async (path) => {
    await writeRandom(`${path}.new`, size)
    await rename(`${path}.new`, path)
  },
}

// Root reads everything, unless it has given up the right to.
const asOneOfMany =
  process.getuid?.() === 0
    ? ['setpriv', '--bounding-set', '-dac_override,-dac_read_search', '--inh-caps', '-dac_override,-dac_read_search']
    : []

test('a source that changes while it is sent', async (t) => {
  const ground = await newAgentGround(t)

  await t.test('arrives as one whole version of it, never torn', async () => {
    for (const [how, change] of Object.entries(changes)) {
      const folder = join(ground.folder, how)
      await mkdir(join(folder, 'in'), { recursive: true })
      const source = join(folder, 'reel.mov')
      await writeRandom(source, size)
      const { held, release } = ground.proxy.hold()
      const id = await ground.send([source])
      await held
      await change(source)
      release()

      const upload = await ground.uploaded(id)
      assert.equal(upload.state, 'complete', `${how}: ${JSON.stringify(upload.error)}`)
      const download = await ground.downloaded(await ground.fetch(id, join(folder, 'in')))
      assert.equal(download.state, 'complete', `${how}: ${JSON.stringify(download.error)}`)
      assert.equal(await sha256Of(join(folder, 'in/reel.mov')), await sha256Of(source), how)
    }
  })

  await t.test('is told to be gone if it was deleted, and is sent once it is there again', async () => {
    const source = join(ground.folder, 'reel.mov')
    await writeRandom(source, size)
    const { held, release } = ground.proxy.hold()
    const id = await ground.send([source])
    await held
    await rename(source, `${source}.away`)
    release()

    const upload = await ground.uploaded(id)
    assert.equal(upload.state, 'error')
    assert.match(upload.error?.message ?? '', /not there any more/)
    assert.equal(upload.error?.recoverable, true)

    await rename(`${source}.away`, source)
    await ground.resumeUpload(id)
    assert.equal((await ground.uploaded(id)).state, 'complete')
  })

  await t.test(
    'is told to be unreadable if its rights were taken away, and is sent once it has them again',
    async () => {
      const source = join(ground.folder, 'locked.mov')
      await writeRandom(source, size)
      const { held, release } = ground.proxy.hold()
      const id = await ground.send([source])
      await held
      // What is open stays readable, so the agent has to open it once more.
      await ground.kill()
      await chmod(source, 0)
      release()
      await ground.start(asOneOfMany)

      const upload = await ground.uploaded(id)
      assert.equal(upload.state, 'error')
      assert.match(upload.error?.message ?? '', /may not be read/)
      assert.equal(upload.error?.recoverable, true)

      await chmod(source, 0o600)
      await ground.resumeUpload(id)
      assert.equal((await ground.uploaded(id)).state, 'complete')
    },
  )

  await t.test('ends its upload with words that say so if it changes all the time', async () => {
    const source = join(ground.folder, 'live.log')
    await writeRandom(source, size)
    const writer = setInterval(() => void appendFile(source, 'x'), 5)
    try {
      const upload = await ground.uploaded(await ground.send([source]))
      assert.equal(upload.state, 'error')
      assert.match(upload.error?.message ?? '', /changed/)
    } finally {
      clearInterval(writer)
    }
  })
})
