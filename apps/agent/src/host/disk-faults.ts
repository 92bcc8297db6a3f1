import { HostFault } from '@longshore/transfer/faults'

/** What the disk said, in words for whoever has to do something about it. Anything else is thrown on as it is. */

export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined

export function sourceFault(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case 'ENOENT':
    case 'ENOTDIR':
      // Bytes of a name that are no UTF-8 reach us as this sign, under which the disk knows nothing.
      if (path.includes('\uFFFD'))
        return new HostFault('source_gone', `The name of '${path}' is no UTF-8. Rename it.`, error)
      return new HostFault('source_gone', `'${path}' is not there any more.`, error)
    case 'EACCES':
    case 'EPERM':
      return new HostFault('source_unreadable', `'${path}' may not be read. Check its permissions.`, error)
    case 'EIO':
    case 'ESTALE':
      return new HostFault('source_unreadable', `The disk could not read '${path}'.`, error)
    case 'ELOOP':
    case 'EISDIR':
    case 'ENXIO':
      return sourceReplaced(path)
    default:
      return error
  }
}

export const sourceReplaced = (path: string) => new HostFault('source_changed', `'${path}' is something else by now.`)

export const sourceCutShort = (path: string) =>
  new HostFault('source_changed', `'${path}' became shorter while it was read.`)

export function destinationFault(error: unknown, path: string): unknown {
  switch (errorCode(error)) {
    case 'ENOSPC':
    case 'EDQUOT':
      return new HostFault('disk_full', `There is no room left for '${path}'.`, error)
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return new HostFault('destination_refused', `'${path}' may not be written. Check the permissions.`, error)
    case 'ENOENT':
      return new HostFault('destination_refused', `The folder of '${path}' was removed. Resume to make it anew.`, error)
    case 'EFBIG':
      return new HostFault('destination_refused', `The disk does not take a file as large as '${path}'.`, error)
    case 'ENAMETOOLONG':
    case 'EINVAL':
    case 'EILSEQ':
      return new HostFault('destination_refused', `The disk does not take the name of '${path}'.`, error)
    case 'EIO':
    case 'ESTALE':
      return new HostFault('destination_refused', `The disk could not write '${path}'.`, error)
    default:
      return error
  }
}

/** Does something to a file, and tells of its faults in words. */
export async function telling<Result>(
  fault: (error: unknown, path: string) => unknown,
  path: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    throw fault(error, path)
  }
}
