import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayCommand } from './gateway-command.ts'
import type { Connection } from './queries.ts'

const gateway = (name: string, direction: Connection['direction'] = 'both'): Connection => ({
  id: '0199c1a0-0000-7000-8000-000000000001',
  team_id: '0199c1a0-0000-7000-8000-000000000002',
  name,
  provider: 'storage_gateway',
  direction,
  target_directory: '',
  created_at: '2026-11-01T10:00:00.000Z',
  updated_at: '2026-11-01T10:00:00.000Z',
})

test('the command names the gateway, its folder, and no more rights than its direction needs', () => {
  const id = '--id 0199c1a0-0000-7000-8000-000000000001'
  assert.equal(
    gatewayCommand(gateway('NAS', 'import'), '/srv/files'),
    `longshore gateway add /srv/files ${id} --name NAS --permissions r`,
  )
  assert.match(gatewayCommand(gateway('NAS', 'export'), '/srv'), /--permissions w$/)
  assert.match(gatewayCommand(gateway('NAS', 'both'), '/srv'), /--permissions rw$/)
})

test('a name with quotes and commands in it stays one word of the shell', () => {
  const command = gatewayCommand(gateway(`Jo's; rm -rf $HOME`), '/a b')
  assert.match(command, / '\/a b' --id .* --name 'Jo'\\''s; rm -rf \$HOME' /)
})
