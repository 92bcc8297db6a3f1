/**
 * Refusals that the contract declares and nobody can meet yet, by endpoint and name, with what they wait for.
 * An entry that was met all the same is a mistake, and coverage.ts says so.
 */
const portals = 'later: limits on files and packages come with Portals'
const scanner = 'later: nothing is scanned for viruses yet'

export const later: Readonly<Record<string, string>> = {
  'addFile file_too_large': portals,
  'addFile package_too_large': portals,
  'addFile file_type_refused': portals,
  'addFiles file_too_large': portals,
  'addFiles package_too_large': portals,
  'addFiles file_type_refused': portals,
  'finalizeFile file_too_large': portals,
  'finalizeFile package_too_large': portals,
  'fileUrl file_quarantined': scanner,
}
