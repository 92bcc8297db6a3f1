import { Command } from 'commander'
import type { AgentWish } from '#cli/agent/connection'
import type { AddOptions, FetchOptions } from '#cli/commands/watch'
import { collected, doing, examples, repeated, wholeNumber } from '#cli/declaring'

const load = () => import('#cli/commands/watch')

/** `longshore watch …`: without more it lists automations. */
export function watchCommand(): Command {
  return new Command('watch')
    .description('send what comes into a folder, fetch what comes into Portals')
    .addHelpText(
      'after',
      examples(
        'longshore watch add /mnt/dailies --to editor@example.com --leave-out "*.tmp"',
        'longshore watch add /mnt/recordings --growing --after 30 --portal studio --from cam@example.com',
        'longshore watch fetch /mnt/inbox --portal studio',
        'longshore watch off dailies',
      ),
    )
    .action(doing(async (shell, options: AgentWish) => (await load()).watch(shell, options)))
    .addCommand(addCommand())
    .addCommand(fetchCommand())
    .addCommand(switchCommand('on'))
    .addCommand(switchCommand('off'))
    .addCommand(
      new Command('rm')
        .description('remove an automation; what it has begun is finished')
        .argument('<id>', 'its id, the end of it, or its name')
        .action(
          doing(async (shell, options: AgentWish, [id]: [string]) => (await load()).removeWatch(shell, id, options)),
        ),
    )
    .addCommand(
      new Command('export')
        .description('print an automation as text, for another agent')
        .argument('<id>', 'its id, the end of it, or its name')
        .option('--with-secrets', 'with its passwords')
        .action(
          doing(async (shell, options: AgentWish, [id]: [string]) => (await load()).exportWatch(shell, id, options)),
        ),
    )
    .addCommand(
      new Command('import')
        .description('take over an automation of another agent')
        .argument('<file>', 'what export has printed; - is standard input')
        .action(
          doing(async (shell, options: AgentWish, [file]: [string]) =>
            (await load()).importWatch(shell, file, options),
          ),
        ),
    )
}

const addCommand = () =>
  new Command('add')
    .description('send each subfolder that comes into a folder, or files while they grow')
    .argument('<folder>', 'the folder to watch')
    .option('--to <address>', 'mail links to this address; may be repeated', collected)
    .option('--team <name>', 'as this Team, where you are in several')
    .option('--portal <name>', 'hand it in at a Portal, by name or address')
    .option('--from <address>', 'your address, for a Portal')
    .option('--access-code', 'ask for the access code of the Portal')
    .option('--access-code-file <file>', 'file with that code; - is standard input')
    .option('--growing', 'send single files, while they are written')
    .option('--after <n>', 'minutes without a change (5), seconds for growing files (30)', wholeNumber(1))
    .option('-n, --name <name>', 'name of the automation; that of the folder otherwise')
    .option('-m, --message <text>', 'message to the recipients')
    .option('--leave-out <pattern>', 'what is not sent, as in a gitignore file; may be repeated', repeated)
    .option('--only <pattern>', 'which growing files are sent; may be repeated', repeated)
    .option('--suffix <text>', 'put behind the names of packages')
    .option('--loose', 'send files beside the subfolders too, each as a package')
    .option('--delete', 'delete what was sent')
    .action(
      doing(async (shell, options: AddOptions, [folder]: [string]) => (await load()).addWatch(shell, folder, options)),
    )

const fetchCommand = () =>
  new Command('fetch')
    .description('fetch what comes into a Portal, or into all Portals of a Team')
    .argument('<folder>', 'where to')
    .option('--portal <name>', 'only from this Portal, by name or address')
    .option('--team <name>', 'of this Team, where you are in several')
    .option('--since <time>', 'also what came since then, like 2026-01-31T00:00:00Z')
    .option('-n, --name <name>', 'name of the automation; that of the folder otherwise')
    .action(
      doing(async (shell, options: FetchOptions, [folder]: [string]) =>
        (await load()).addFetch(shell, folder, options),
      ),
    )

const switchCommand = (to: 'on' | 'off') =>
  new Command(to)
    .description(`switch an automation ${to}`)
    .argument('<id>', 'its id, the end of it, or its name')
    .action(
      doing(async (shell, options: AgentWish, [id]: [string]) =>
        (await load()).switchWatch(shell, id, to === 'on', options),
      ),
    )
