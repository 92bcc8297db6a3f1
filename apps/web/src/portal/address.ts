/** Which Portal this page is: `/p/{subdomain}`, or the first label of the host. */
export function subdomainOf({ pathname, hostname }: Pick<Location, 'pathname' | 'hostname'>): string {
  const inPath = /^\/p\/([^/]+)/.exec(pathname)?.[1]
  return inPath === undefined ? (hostname.split('.')[0] ?? '') : decodeURIComponent(inPath)
}
