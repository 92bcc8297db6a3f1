import { isUnjudgeable, type VerifyWish, verifyAndTell } from '@longshore/waybill/verify-command'
import { Misuse } from '#cli/misuse'
import type { Shell } from '#cli/shell'
import { Trouble } from '#cli/trouble'

/** Checks a folder against the signed waybill of its package. Needs neither agent nor server. */
export async function verify(shell: Shell, wish: VerifyWish): Promise<void> {
  const lines: string[] = []
  const good = await verifyAndTell(wish, shell.json ? (line) => lines.push(line) : shell.print).catch(
    (error: unknown) => {
      throw error instanceof Error && isUnjudgeable(error) ? new Misuse(error.message, { cause: error }) : error
    },
  )
  if (shell.json) shell.print(JSON.stringify({ good, report: lines }))
  if (!good) throw new Trouble('The folder is not what was sent.')
}
