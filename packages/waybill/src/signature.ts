import { createHash } from 'node:crypto'
import { compactVerify, createLocalJWKSet, errors, type JSONWebKeySet } from 'jose'
import { checkWaybill, isObject, type Waybill, WaybillFault } from '#waybill'

const waybillType = 'longshore-waybill+jws'

/** A waybill as it is delivered, and the hash that its signature is over. */
export interface SignedWaybill {
  readonly waybill: Waybill
  readonly signature: string
  readonly digest: string
}

/** Reads a waybill. Nobody has checked its signature yet. */
export function readSigned(text: string): SignedWaybill {
  let read: unknown
  try {
    read = JSON.parse(text)
  } catch (cause) {
    throw new WaybillFault('This is no waybill: it is not JSON.', { cause })
  }
  const { signature, ...waybill } = isObject(read) ? read : {}
  if (typeof signature !== 'string') throw new WaybillFault('This is no waybill: its signature is missing.')
  checkWaybill(waybill)
  return { waybill, signature, digest: digestOf(waybill) }
}

/** Over each file and then all the rest, as JSON on lines of their own: so a long one need not be held as one text. */
function digestOf({ files, ...rest }: Waybill): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${JSON.stringify(file)}\n`)
  return hash.update(`${JSON.stringify(rest)}\n`).digest('hex')
}

/** Throws unless one of these keys has signed it. */
export async function checkSignature({ signature, digest }: SignedWaybill, keys: JSONWebKeySet): Promise<void> {
  const { payload, protectedHeader } = await verified(signature, keys)
  // A signature under the same key on something else, say a receipt, must not pass for a waybill.
  if (protectedHeader.typ !== waybillType) throw new WaybillFault('What was signed is no waybill.')
  if (new TextDecoder().decode(payload) !== JSON.stringify({ waybill: `sha256:${digest}` })) throw notGood()
}

async function verified(signature: string, keys: JSONWebKeySet) {
  try {
    return await compactVerify(signature, createLocalJWKSet(keys), { algorithms: ['EdDSA'] })
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) {
      throw new WaybillFault('None of the keys given is the one that signed this waybill.', { cause })
    }
    throw notGood(cause)
  }
}

const notGood = (cause?: unknown) =>
  new WaybillFault('The signature of the waybill is not good: it was changed, or signed by somebody else.', { cause })
