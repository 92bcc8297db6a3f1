#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { isSea } from 'node:sea'
import about from '../package.json' with { type: 'json' }
import { main } from '#cli/main'

const { execPath, execArgv, argv } = process

process.exitCode = await main(
  {
    version: about.version,
    command: isSea() ? [execPath] : [execPath, ...execArgv, realpathSync(argv[1] ?? '')],
    runAgent: async () => {
      throw new Error('not merged yet')
    },
  },
  argv.slice(2),
)
