import './lean-heap.ts'
import { begin } from '@longshore/kit/lifecycle'
import { readConfig } from './config.ts'
import { runAgent } from './run-agent.ts'

begin(() => runAgent(readConfig(process.argv.slice(2), process.env)))
