import { Command } from 'commander'
import type { AgentWish } from '#cli/agent/connection'
import type { InstallOptions } from '#cli/commands/agent'
import { doing, examples } from '#cli/declaring'
import type { Self } from '#cli/self'

const commands = () => import('#cli/commands/agent')

/** `longshore agent …`: the process in the background that does the work. */
export function agentCommand(self: Self): Command {
  const run = new Command('run')
    .description('run the agent here, until Ctrl-C; takes the options of the agent')
    .argument('[option...]')
    .allowUnknownOption()
    .action(async (_args, _options, command: Command) => self.runAgent(command.args))
  const start = new Command('start')
    .description('start the agent in the background; takes the options of the agent')
    .argument('[option...]')
    .allowUnknownOption()
    .addHelpText('after', examples('longshore agent start', 'longshore agent start --log-level debug'))
    .action(
      doing(async (shell, options: AgentWish, [args]: [readonly string[]]) =>
        (await commands()).start(shell, self, args, options),
      ),
    )
  const stop = new Command('stop')
    .description('end the agent; transfers go on when it is started again')
    .addHelpText('after', examples('longshore agent stop'))
    .action(doing(async (shell, options: AgentWish) => (await commands()).stop(shell, options)))
  const status = new Command('status')
    .description('show whether the agent runs, where, and who is signed in')
    .addHelpText('after', examples('longshore agent status', 'longshore agent status --json'))
    .action(doing(async (shell, options: AgentWish) => (await import('#cli/commands/status')).status(shell, options)))
  const install = new Command('install')
    .description('let systemd run the agent whenever you are logged in; shows first what it does')
    .option('--print', 'only print the unit')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', examples('longshore agent install', 'longshore agent install --print'))
    .action(doing(async (shell, options: InstallOptions) => (await commands()).install(shell, self, options)))
  const agent = new Command('agent')
    .description('start and stop the agent in the background')
    .addHelpText('after', examples('longshore agent start', 'longshore agent install'))
  for (const command of [start, stop, status, install, run]) agent.addCommand(command)
  return agent
}
