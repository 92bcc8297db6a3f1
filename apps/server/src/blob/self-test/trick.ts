import type { Bench } from '#blob/self-test/bench'
import type { Outcome } from '#blob/self-test/finding'

export interface Trick {
  readonly id: string
  /** What an attacker does, in a few words. */
  readonly trick: string
  readonly remedy: string
  attempt(bench: Bench): Promise<Outcome>
}

export const useProxy =
  'Put the reverse proxy of ops/nginx in front of the public storage address: it lets no header through that we did not sign.'
export const usePolicy = 'Set the bucket policy of docs/operate/storage.md, with three different identities.'

/**
 * The ways to write a header. Some stores read headers the way CGI does, where - and _ are the same, so a proxy that
 * takes away only the first kind takes away nothing.
 */
export function spellings(header: string, value: string): readonly Record<string, string>[] {
  return [{ [header]: value }, { [header.replaceAll('-', '_')]: value }]
}

export function headersText(headers: Readonly<Record<string, string>>): string {
  return Object.keys(headers).join(', ')
}
