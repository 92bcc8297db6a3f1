/** A CRC-32 as it is stored and shown: its four bytes, the highest first. */
export function crcBytes(checksum: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(checksum)
  return bytes
}
