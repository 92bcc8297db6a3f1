import { createLocalJWKSet, errors, type FlattenedJWSInput, flattenedVerify, type JSONWebKeySet } from 'jose'
import { readWaybill, type Waybill, WaybillFault } from '#waybill'

export const waybillType = 'longshore-waybill+jws'

/** A waybill as it is delivered: a JWS in flattened JSON serialization. */
export function readSigned(text: string): FlattenedJWSInput {
  let signed: FlattenedJWSInput
  try {
    signed = JSON.parse(text) as FlattenedJWSInput
  } catch (cause) {
    throw new WaybillFault('This is no waybill: it is not JSON.', { cause })
  }
  const { payload, protected: header, signature } = signed ?? {}
  if (typeof payload !== 'string' || typeof header !== 'string' || typeof signature !== 'string') {
    throw new WaybillFault('This is no waybill: payload, protected or signature is missing.')
  }
  return signed
}

/** Opens a waybill that one of these keys has signed. */
export async function openWaybill(signed: FlattenedJWSInput, keys: JSONWebKeySet): Promise<Waybill> {
  const { payload, protectedHeader } = await verified(signed, keys)
  // A signature under the same key on something else, say a receipt, must not pass for a waybill.
  if (protectedHeader?.typ !== waybillType) throw new WaybillFault('What was signed is no waybill.')
  return readWaybill(payload)
}

async function verified(signed: FlattenedJWSInput, keys: JSONWebKeySet) {
  try {
    return await flattenedVerify(signed, createLocalJWKSet(keys), { algorithms: ['EdDSA'] })
  } catch (cause) {
    if (cause instanceof errors.JWKSNoMatchingKey) {
      throw new WaybillFault('None of the keys given is the one that signed this waybill.', { cause })
    }
    throw new WaybillFault('The signature of the waybill is not good: it was changed, or signed by somebody else.', {
      cause,
    })
  }
}

/** The content of a waybill whose signature nobody has checked. */
export const openUnchecked = (signed: FlattenedJWSInput): Waybill =>
  readWaybill(typeof signed.payload === 'string' ? Buffer.from(signed.payload, 'base64url') : signed.payload)
