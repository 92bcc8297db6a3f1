import type { PartlyWritten } from './download-journal.ts'
import type { DownloadRun } from './download-run.ts'
import { Fault } from './faults.ts'
import { receiveAll } from './receive-stretches.ts'
import type { Turn } from './lane-pool.ts'
import type { PartFile, WantedFile } from './ports.ts'

/** Fetches one file, verifies it and gives it its name. Nothing that is not whole ever has that name. */
export async function downloadFile(
  run: DownloadRun,
  file: WantedFile,
  left: PartlyWritten | undefined,
  turn: Turn,
): Promise<void> {
  const found = left === undefined ? 'nothing' : await file.found()
  const meter = run.meter.file(file.n)
  if (left?.verified === true && found === 'finished') {
    // It got its name, and the end came before that could be noted.
    meter.found(file.size)
    await run.jot({ kind: 'done', n: file.n })
    return
  }
  // Noted before there is a part file again, which would be taken for the old one.
  if (left !== undefined && found !== 'part') await run.note({ kind: 'emptied', n: file.n })
  const kept = found === 'part' ? left : undefined
  const part = await file.open()
  try {
    if (kept?.verified === true) meter.found(file.size)
    else await fetchAndVerify(run, file, part, { turn, stretches: kept?.stretches ?? [] })
    await part.commit()
  } finally {
    await part.close()
  }
  // Were it forgotten, what was noted before would say the same.
  await run.jot({ kind: 'done', n: file.n })
}

async function fetchAndVerify(
  run: DownloadRun,
  file: WantedFile,
  part: PartFile,
  begun: { readonly turn: Turn; readonly stretches: PartlyWritten['stretches'] },
): Promise<void> {
  let { stretches } = begun
  for (let attempt = 0; ; attempt++) {
    const got = await receiveAll(run, file, part, { turn: begun.turn, stretches })
    if (file.sha256 === undefined || got?.sha256 === file.sha256) break
    await part.empty()
    await run.note({ kind: 'emptied', n: file.n })
    // A disk or a line that spoils bytes once may be chance. Twice, somebody should look at it.
    if (attempt > 0) throw new Fault('permanent', 'content_mismatch', 'What arrived is not what was sent.')
    stretches = []
  }
  await part.seal()
  await run.note({ kind: 'verified', n: file.n })
}
