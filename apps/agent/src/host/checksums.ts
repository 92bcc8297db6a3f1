/** A CRC-32 as it is written everywhere: eight digits, lower case. */
export const hexCrc32 = (crc: number) => crc.toString(16).padStart(8, '0')
