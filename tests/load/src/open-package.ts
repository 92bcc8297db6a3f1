import { addFile } from '@longshore/contract/cloud/files'
import { createTeamPackage } from '@longshore/contract/cloud/packages'
import type { FirstTeam } from '@longshore/stack/longshore/first-team'
import type { ApiLoad } from './api-load.ts'

export interface OpenPackage {
  readonly id: string
  readonly token: { readonly 'x-package-token': string }
}

/** Creates a package as an integration would, with one recipient. */
export async function openPackage(api: ApiLoad, team: FirstTeam, name: string): Promise<OpenPackage> {
  const body = { name, description: 'made by the benchmarks', recipients: ['recipient@example.test'] }
  const made = await api.call(
    createTeamPackage,
    { params: { team_id: team.team_id }, body },
    { 'x-api-key': team.api_key },
  )
  if (made.access_token === undefined) throw new Error('The package came without a token.')
  return { id: made.id, token: { 'x-package-token': made.access_token } }
}

/** Adds one file by the spec's call: it is uploaded in chunks, however small it is. */
export async function addChunkedFile(api: ApiLoad, pkg: OpenPackage, name: string, size: number, chunkSize?: number) {
  const body = {
    kind: 'file' as const,
    name,
    path: '',
    last_modified: '2026-01-02T03:04:05.000Z',
    size,
    ...(chunkSize === undefined ? {} : { chunk_size: chunkSize }),
  }
  const { file, create_blueprint: create } = await api.call(
    addFile,
    { params: { package_id: pkg.id }, body },
    pkg.token,
  )
  if (create === null) throw new Error('The file came without a request that opens its upload.')
  return { id: file.id, chunkSize: file.chunk_size, create }
}
