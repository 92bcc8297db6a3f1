import { Command, Option } from 'commander'
import type { AgentWish } from '#cli/agent/connection'
import type { DiskOptions } from '#cli/settings/disks'
import type { InterfaceOptions } from '#cli/settings/interfaces'
import type { LimitOptions } from '#cli/settings/limit'
import type { QueueOptions } from '#cli/settings/queue'
import type { WorkerOptions } from '#cli/settings/workers'
import { collected, doing, examples, wholeNumber } from '#cli/declaring'

/** `longshore settings …`: without more it shows all of them. */
export function settingsCommand(): Command {
  const command = new Command('settings')
    .description('show and change the settings of the agent')
    .addHelpText('after', settingsExamples)
    .action(
      doing(async (shell, options: AgentWish) => (await import('#cli/settings/show')).showSettings(shell, options)),
    )
  for (const direction of ['upload', 'download'] as const) command.addCommand(limitCommand(direction))
  return command
    .addCommand(workersCommand())
    .addCommand(queueCommand())
    .addCommand(disksCommand())
    .addCommand(interfacesCommand())
}

const settingsExamples = examples(
  'longshore settings',
  'longshore settings upload-limit 20MB/s --schedule "mon-fri 08:00-18:00"',
  'longshore settings queue on --uploads 2',
)

const limitCommand = (direction: 'upload' | 'download') =>
  new Command(`${direction}-limit`)
    .description(`show or set how fast all ${direction}s together may be`)
    .argument('[rate]', '20MB/s, 100Mbit/s, … or off')
    .option('--schedule <hours>', 'when it holds, like "mon-fri 08:00-18:00, sat 10:00-14:00"; local time')
    .option('--always', 'at all times')
    .option('--interface <name>', 'of one network interface, where several are used at once')
    .addHelpText(
      'after',
      examples(
        `longshore settings ${direction}-limit 20MB/s`,
        `longshore settings ${direction}-limit 100Mbit/s --schedule "weekdays 08:00-18:00"`,
        `longshore settings ${direction}-limit off`,
      ),
    )
    .action(
      doing(async (shell, options: LimitOptions, [rate]: [string?]) =>
        (await import('#cli/settings/limit')).limit(shell, direction, rate, options),
      ),
    )

const workersCommand = () =>
  new Command('workers')
    .description('show or set how many requests are under way at once')
    .option('--upload <n>', 'for uploads', wholeNumber(1))
    .option('--download <n>', 'for downloads', wholeNumber(1))
    .addHelpText('after', examples('longshore settings workers --upload 16'))
    .action(
      doing(async (shell, options: WorkerOptions) => (await import('#cli/settings/workers')).workers(shell, options)),
    )

const queueCommand = () =>
  new Command('queue')
    .description('show or set whether transfers wait for each other')
    .argument('[on|off]', 'on: a few at a time, the oldest first')
    .option('--uploads <n>', 'how many uploads at a time', wholeNumber(1))
    .option('--downloads <n>', 'how many downloads at a time', wholeNumber(1))
    .addHelpText(
      'after',
      examples('longshore settings queue on --uploads 2 --downloads 1', 'longshore settings queue off'),
    )
    .action(
      doing(async (shell, options: QueueOptions, [onOff]: [string?]) =>
        (await import('#cli/settings/queue')).queue(shell, onOff, options),
      ),
    )

const disksCommand = () =>
  new Command('disks')
    .description('show or set how disks are read and written')
    .argument('[disk]', 'one disk; all without a setting of their own otherwise')
    .option('--readers <n>', 'files read at once', wholeNumber(1))
    .option('--writers <n>', 'files written at once', wholeNumber(1))
    .addOption(new Option('--prefer <what>', 'what need not wait for the other').choices(['both', 'writes', 'reads']))
    .addHelpText('after', examples('longshore settings disks', 'longshore settings disks --readers 2 --prefer writes'))
    .action(
      doing(async (shell, options: DiskOptions, [disk]: [string?]) =>
        (await import('#cli/settings/disks')).disks(shell, disk, options),
      ),
    )

const interfacesCommand = () =>
  new Command('interfaces')
    .description('show or set which network interfaces carry transfers')
    .argument('[on|off]', 'on: several at once')
    .option('--use <name>', 'use this one; may be repeated', collected)
    .option('--avoid <name>', 'do not use this one; may be repeated', collected)
    .addHelpText(
      'after',
      examples('longshore settings interfaces on --avoid wlan0', 'longshore settings interfaces off'),
    )
    .action(
      doing(async (shell, options: InterfaceOptions, [onOff]: [string?]) =>
        (await import('#cli/settings/interfaces')).interfaces(shell, onOff, options),
      ),
    )
