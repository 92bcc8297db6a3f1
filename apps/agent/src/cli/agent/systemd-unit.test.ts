import assert from 'node:assert/strict'
import { test } from 'node:test'
import { systemdUnit } from '#cli/agent/systemd-unit'

test('the unit runs this very program, and again when it fails', () => {
  const unit = systemdUnit(['/usr/bin/node', '/opt/longshore/longshore.js'], {})
  assert.match(unit, /^ExecStart=\/usr\/bin\/node \/opt\/longshore\/longshore\.js agent run$/m)
  assert.match(unit, /^Restart=on-failure$/m)
  assert.doesNotMatch(unit, /^Environment=/m)
})

test('paths with blanks, percent and dollar signs mean themselves', () => {
  const unit = systemdUnit(['/home/a b/100%/$x/longshore'], { LONGSHORE_DATA_DIR: '/data dir' })
  assert.match(unit, /^ExecStart="\/home\/a b\/100%%\/\$\$x\/longshore" agent run$/m)
  assert.match(unit, /^Environment="LONGSHORE_DATA_DIR=\/data dir"$/m)
})
