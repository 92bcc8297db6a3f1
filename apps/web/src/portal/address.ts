/** Which Portal this page is: the end of its path, or the first label of its host. */
export function subdomainOf({ pathname, hostname }: Pick<Location, 'pathname' | 'hostname'>): string {
  const inPath = pathname.split('/').findLast((part) => part !== '')
  return inPath === undefined ? (hostname.split('.')[0] ?? '') : decodeURIComponent(inPath)
}
