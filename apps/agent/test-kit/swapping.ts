import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TestContext } from 'node:test'

/**
 * Puts a link in the place of the folder `a` and takes it away again, as often as it can. In a process of its own, or it
 * and the test would take turns. Answers how to end it.
 */
export function swapForLink(t: TestContext, folder: string, target: string): () => Promise<void> {
  const swaps = `
    const { renameSync, symlinkSync, unlinkSync } = require('node:fs')
    const attempt = (act, ...args) => { try { act(...args) } catch {} }
    for (let turn = 0; ; turn++) {
      attempt(renameSync, 'a', 'real-' + turn)
      attempt(symlinkSync, process.argv[1], 'a')
      attempt(unlinkSync, 'a')
      attempt(renameSync, 'real-' + turn, 'a')
    }`
  const swapper = spawn(process.execPath, ['-e', swaps, target], { cwd: folder })
  t.after(() => swapper.kill('SIGKILL'))
  return async () => {
    swapper.kill('SIGKILL')
    await once(swapper, 'exit')
  }
}
