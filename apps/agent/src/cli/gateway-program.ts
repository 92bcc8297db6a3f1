import { Command, InvalidArgumentError, Option } from 'commander'
import type { AgentWish } from '#cli/agent/connection'
import type { AddOptions, SetOptions } from '#cli/commands/gateway'
import { doing, examples, wholeNumber } from '#cli/declaring'

const load = () => import('#cli/commands/gateway')

/** `longshore gateway …`: without more it lists the folders that are connected. */
export function gatewayCommand(): Command {
  return new Command('gateway')
    .description('connect folders of this machine to a Team')
    .addHelpText(
      'after',
      examples(
        'longshore gateway add /mnt/nas --id 0199… --secret-file secret.txt',
        'longshore gateway add /mnt/archive --id 0199… --permissions r',
        'longshore gateway set nas --root /mnt/other',
        'longshore gateway set nas --secret',
        'longshore gateway rm nas',
      ),
    )
    .action(doing(async (shell, options: AgentWish) => (await load()).listGateways(shell, options)))
    .addCommand(addCommand())
    .addCommand(
      new Command('ls')
        .description('list connected folders')
        .action(doing(async (shell, options: AgentWish) => (await load()).listGateways(shell, options))),
    )
    .addCommand(setCommand())
    .addCommand(
      new Command('rm')
        .description('disconnect a folder; what is in it stays')
        .argument('<id>', 'its id, the end of it, or its name')
        .action(
          doing(async (shell, options: AgentWish, [id]: [string]) => (await load()).removeGateway(shell, id, options)),
        ),
    )
}

const addCommand = () =>
  new Command('add')
    .description('connect a folder: its Team can look into it, and send packages there')
    .argument('<folder>', 'the folder; all within it becomes reachable')
    .requiredOption('--id <id>', 'of the cloud connection, a storage gateway')
    .option('--secret-file <file>', 'file with its secret; - is standard input; asked for otherwise')
    .addOption(
      new Option('--permissions <what>', 'r: look into it, w: deliver to it').choices(['r', 'w', 'rw']).default('rw'),
    )
    .option('-n, --name <name>', 'for you; that of the folder otherwise')
    .option('--user-id <n>', 'whose what arrives shall be; for an agent that runs as root', wholeNumber(1))
    .option('--group-id <n>', 'the same for its group', wholeNumber(1))
    .action(
      doing(async (shell, options: AddOptions, [folder]: [string]) =>
        (await load()).addGateway(shell, folder, options),
      ),
    )

const setCommand = () =>
  new Command('set')
    .description('change a connected folder, and try anew to connect')
    .argument('<id>', 'its id, the end of it, or its name')
    .option('--root <folder>', 'another folder; what was under way begins anew there')
    .option('--secret', 'ask for its new secret, when it was renewed in the cloud')
    .option('--secret-file <file>', 'file with that secret; - is standard input')
    .option('--user-id <n|none>', 'whose what arrives shall be', ownerOrNone)
    .option('--group-id <n|none>', 'the same for its group', ownerOrNone)
    .action(doing(async (shell, options: SetOptions, [id]: [string]) => (await load()).setGateway(shell, id, options)))

function ownerOrNone(text: string): number {
  if (text === 'none') return -1
  if (!/^[1-9]\d*$/.test(text)) throw new InvalidArgumentError('It is a whole number from 1, or none.')
  return Number(text)
}
