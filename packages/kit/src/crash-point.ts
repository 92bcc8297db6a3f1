/**
 * Places where tests kill the process for real, to show what a crash there leaves behind.
 *
 * Nothing happens unless `armCrashPoint` was called with a name and a count, as in `finalize-file.completed:1`.
 */
let armed: { readonly name: string; left: number } | undefined

export function armCrashPoint(setting: string): void {
  const [name = '', count = '1'] = setting.split(':')
  armed = { name, left: Number(count) }
}

export function crashPoint(name: string): void {
  if (armed === undefined || armed.name !== name) return
  armed.left--
  if (armed.left === 0) process.kill(process.pid, 'SIGKILL')
}
