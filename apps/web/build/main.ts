import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build, type LogLevel } from 'vite'
import { doors } from './doors.ts'

const { values } = parseArgs({ options: { logLevel: { type: 'string', default: 'info' } } })
const configFile = fileURLToPath(new URL('../vite.config.ts', import.meta.url))

// One after the other, and none sees the others: what two doors share would be what either of them needs, and a Portal
// page would load calls that only the console makes.
for (const mode of doors) await build({ configFile, mode, logLevel: values.logLevel as LogLevel })
