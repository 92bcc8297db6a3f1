/**
 * The 68 bytes that every virus scanner takes for a virus, and that are none. Put together here, so that no scanner
 * takes this file for one.
 */
export const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE', '!$H+H*'].join(''),
)
