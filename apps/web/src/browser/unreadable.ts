import { HostFault } from '@longshore/transfer/faults'

/** The browser refuses to read a file that is another one than was chosen. */
export function unreadable(error: unknown): HostFault {
  const name = error instanceof DOMException ? error.name : ''
  if (name === 'NotFoundError') return new HostFault('source_gone', 'The file is not there any more.', error)
  if (name === 'NotReadableError') return new HostFault('source_changed', 'The file changed.', error)
  return new HostFault('source_unreadable', 'The file cannot be read.', error)
}
