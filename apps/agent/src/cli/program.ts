import { type Argument, Command, Option } from 'commander'
import type { AgentWish } from '#cli/agent/connection'
import type { SendOptions } from '#cli/commands/send'
import type { DoctorOptions } from '#cli/commands/doctor'
import type { GetOptions } from '#cli/commands/get'
import type { ControlOptions, RemoveOptions } from '#cli/commands/control'
import type { LinkOptions } from '#cli/commands/link'
import type { ListOptions } from '#cli/commands/list'
import type { LoginOptions } from '#cli/commands/login'
import { agentCommand } from '#cli/agent-program'
import { collected, doing, examples, repeated, wholeNumber } from '#cli/declaring'
import { gatewayCommand } from '#cli/gateway-program'
import type { Self } from '#cli/self'
import { settingsCommand } from '#cli/settings-program'
import { watchCommand } from '#cli/watch-program'

/** The whole command line as a tree: what is parsed, shown as help and completed by shells. */
export function programOf(self: Self): Command {
  const program = new Command('longshore')
    .description('Send and fetch very large files.')
    .version(self.version, '-v, --version', 'show the version')
    .helpOption('-h, --help', 'show help')
    .addHelpCommand(new Command('help').argument('[command]').description('show help of a command').helpGroup('Help:'))
    .configureHelp({ subcommandTerm })
    .exitOverride()
    .option('--agent <url>', 'talk to this agent, not to your own')
    .option('--agent-token-file <file>', 'file with the token of that agent')
    .option('--json', 'answer in JSON, one object a line')
    .option('-q, --quiet', 'print nothing but results and errors')
    .showHelpAfterError('(--help shows how it is used)')
    .addHelpText('after', firstSteps)
  const groups = {
    'Sending and fetching:': transferring(self),
    'Transfers:': controlling(),
    'Agent:': [...signingIn(self), settingsCommand(), agentCommand(self), watchCommand(), gatewayCommand()],
    'Help:': [...looking(self), completionCommand()],
  }
  for (const [heading, commands] of Object.entries(groups)) {
    for (const command of commands) program.addCommand(command.helpGroup(heading))
  }
  program.addCommand(completeCommand(program), { hidden: true })
  return alike(program)
}

/** Settings of the program hold for every command of it. */
function alike(command: Command): Command {
  for (const one of command.commands) alike(one.copyInheritedSettings(command))
  // Its options are those of the agent, and so is its help.
  if (command.name() === 'run') command.helpOption(false)
  return command
}

/** Commands by name and arguments: that each has options goes without saying. */
const subcommandTerm = (command: Command): string =>
  [command.name(), ...command.registeredArguments.map(termOf)].join(' ')

const termOf = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`
  return argument.required ? `<${name}>` : `[${name}]`
}

const firstSteps = `
First steps:
  $ longshore login --cloud https://transfer.example.com
  $ longshore send Dailies/ --to editor@example.com --message 'Day 12'
  $ longshore send master.mov --link
  $ longshore get 'https://transfer.example.com/d/…?secret=…' ~/Downloads

Transfers run in an agent in the background and survive everything but rm.
Ends with 0 done, 1 failed, 2 used wrongly, 3 not signed in, 4 not reachable, 130 interrupted.
`

function transferring(self: Self): Command[] {
  const send = new Command('send')
    .description('send files and folders as one package')
    .argument('<path...>', 'files and folders')
    .option('--to <address>', 'mail a link to this address; may be repeated', collected)
    .option('--link', 'make a link and print it')
    .option('--portal <name>', 'hand it in at a Portal, by name or address')
    .option('-n, --name <name>', 'name of the package; that of the first path otherwise')
    .option('-m, --message <text>', 'message to the recipients')
    .option('--password', 'ask for a password that recipients will need')
    .option('--password-file <file>', 'file with that password; - is standard input')
    .option('--expires <time>', 'how long it is kept: 14d, 2w or never')
    .option('--max-downloads <n>', 'how often each link may be used', wholeNumber(1))
    .option('--tag <name>', 'tag of the package')
    .option('--team <name>', 'Team to send as, by name or id')
    .option('--teamspace <id>', 'Teamspace that the package belongs to')
    .option('--from <address>', 'your address, for a Portal')
    .option('--access-code', 'ask for the access code of the Portal')
    .option('--access-code-file <file>', 'file with that code; - is standard input')
    .option('--field <name=value>', 'answer to the form of the Portal; may be repeated', repeated)
    .addHelpText(
      'after',
      examples(
        'longshore send Dailies/ --to editor@example.com,sound@example.com --message "Day 12"',
        'longshore send master.mov --link --expires 2w --max-downloads 5 --password',
        'longshore send rushes/ --portal dailies --from me@example.com --field project=Harbour',
        'url=$(longshore send build.iso --link --quiet)',
      ),
    )
    .action(
      doing(async (shell, options: SendOptions, [paths]: [readonly string[]]) =>
        (await import('#cli/commands/send')).send(shell, self, paths, options),
      ),
    )
  const get = new Command('get')
    .description('fetch the package of a link')
    .argument('<url>', 'the link as you got it, in quotes')
    .argument('[folder]', 'where to put it', '.')
    .option('--password', 'ask for the password of the link')
    .option('--password-file <file>', 'file with that password; - is standard input')
    .option('--no-package-folder', 'put the files straight into the folder')
    .addOption(
      new Option('--on-conflict <what>', 'where a file of the name is there already').choices([
        'rename',
        'skip',
        'overwrite',
      ]),
    )
    .addHelpText(
      'after',
      examples(
        "longshore get 'https://transfer.example.com/d/0199…?secret=…'",
        "longshore get 'https://transfer.example.com/d/0199…?secret=…' /mnt/raid --on-conflict skip",
        "longshore get 'https://…' --password-file - < password.txt",
      ),
    )
    .action(
      doing(async (shell, options: GetOptions, [url, folder]: [string, string]) =>
        (await import('#cli/commands/get')).get(shell, self, url, folder, options),
      ),
    )
  const link = new Command('link')
    .description('make a download link for what was sent')
    .argument('<id>', 'upload, as `longshore ls` shows it')
    .option('--to <address>', 'mail it to this address')
    .option('--password', 'ask for a password of the link')
    .option('--password-file <file>', 'file with that password; - is standard input')
    .option('--expires <time>', 'how long it is open: 3d, 2w')
    .option('--max-downloads <n>', 'how often it may be used', wholeNumber(1))
    .addHelpText('after', examples('longshore link 3f9a1c2e', 'longshore link 3f9a1c2e --expires 3d --max-downloads 1'))
    .action(
      doing(async (shell, options: LinkOptions, [id]: [string]) =>
        (await import('#cli/commands/link')).link(shell, id, options),
      ),
    )
  return [leavable(send), leavable(get), link]
}

/** What starts a transfer and waits for it need not wait. */
const leavable = (command: Command): Command =>
  command
    .option('--priority <n>', 'the higher goes first', wholeNumber(-1_000_000))
    .option('-d, --detach', 'do not wait: print the id and leave it to the agent')
    .option('--pause-on-exit', 'Ctrl-C pauses the transfer; otherwise it goes on in the background')

function controlling(): Command[] {
  const list = new Command('ls')
    .alias('list')
    .description('list transfers')
    .option('-a, --all', 'also those that were complete more than a day ago')
    .addHelpText('after', examples('longshore ls', "longshore ls --json | jq -r '.transfers[].name'"))
    .action(doing(async (shell, options: ListOptions) => (await import('#cli/commands/list')).list(shell, options)))
  const status = new Command('status')
    .description('show the agent, or one transfer')
    .argument('[id]', 'transfer, as `longshore ls` shows it')
    .addHelpText('after', examples('longshore status', 'longshore status 3f9a1c2e'))
    .action(
      doing(async (shell, options: AgentWish, [id]: [string?]) => {
        const { status, statusOf } = await import('#cli/commands/status')
        await (id === undefined ? status(shell, options) : statusOf(shell, id, options))
      }),
    )
  const pauseOrResume = (['pause', 'resume'] as const).map((what) =>
    new Command(what)
      .description(what === 'pause' ? 'pause transfers; nothing is lost' : 'resume what is paused or has failed')
      .argument('[id...]', 'transfers, as `longshore ls` shows them')
      .option('-a, --all', 'all of them')
      .addHelpText('after', examples(`longshore ${what} 3f9a1c2e`, `longshore ${what} --all`))
      .action(
        doing(async (shell, options: ControlOptions, [ids]: [readonly string[]]) =>
          (await import('#cli/commands/control')).pauseOrResume(shell, what, ids, options),
        ),
      ),
  )
  const remove = new Command('rm')
    .description('forget transfers; what has arrived stays')
    .argument('[id...]', 'transfers, as `longshore ls` shows them')
    .option('-a, --all', 'all of them')
    .option('--complete', 'all that are complete')
    .option('-y, --yes', 'do not ask about those that are not complete')
    .addHelpText('after', examples('longshore rm 3f9a1c2e', 'longshore rm --complete'))
    .action(
      doing(async (shell, options: RemoveOptions, [ids]: [readonly string[]]) =>
        (await import('#cli/commands/control')).remove(shell, ids, options),
      ),
    )
  const rank = new Command('rank')
    .description('move a transfer in the queue')
    .argument('<id>', 'transfer, as `longshore ls` shows it')
    .argument('<place>', 'front, or a number from 1')
    .addHelpText('after', examples('longshore rank 3f9a1c2e front'))
    .action(
      doing(async (shell, options: AgentWish, [id, place]: [string, string]) =>
        (await import('#cli/commands/control')).rank(shell, id, place, options),
      ),
    )
  const finalize = new Command('finalize')
    .description('close an upload that the agent left open')
    .argument('<id>', 'upload, as `longshore ls` shows it')
    .addHelpText('after', examples('longshore finalize 3f9a1c2e'))
    .action(
      doing(async (shell, options: AgentWish, [id]: [string]) =>
        (await import('#cli/commands/control')).finalize(shell, id, options),
      ),
    )
  return [list, status, ...pauseOrResume, remove, rank, finalize]
}

function signingIn(self: Self): Command[] {
  const login = new Command('login')
    .description('choose the server and sign in')
    .option('--cloud <url>', 'address of the Longshore server; kept for later')
    .option('--email <address>', 'who signs in; asked for otherwise')
    .option('--password-file <file>', 'file with the password; - is standard input; asked for otherwise')
    .option('--api-key-file <file>', 'sign in by an API key; the file is read at every start of the agent')
    .addHelpText(
      'after',
      examples(
        'longshore login --cloud https://transfer.example.com',
        'longshore login --email me@example.com --password-file - < password.txt',
        'longshore login --cloud https://transfer.example.com --api-key-file /etc/longshore/key',
      ),
    )
    .action(
      doing(async (shell, options: LoginOptions) => (await import('#cli/commands/login')).login(shell, self, options)),
    )
  const logout = new Command('logout')
    .description('sign out')
    .addHelpText('after', examples('longshore logout'))
    .action(doing(async (shell, options: AgentWish) => (await import('#cli/commands/login')).logout(shell, options)))
  return [login, logout]
}

function looking(self: Self): Command[] {
  const verify = new Command('verify')
    .description('check a folder against a signed waybill')
    .argument('<waybill>', 'file with the waybill; - is standard input')
    .argument('<folder>', 'where the package was fetched to')
    .option('--keys <file|url>', 'public keys of the server: a file, or https://SERVER/v1/system/keys')
    .option('-a, --all', 'name the good files too')
    .addHelpText(
      'after',
      examples('longshore verify waybill.json Dailies/ --keys https://transfer.example.com/v1/system/keys'),
    )
    .action(
      doing(
        async (
          shell,
          { keys, all }: { readonly keys?: string; readonly all?: boolean },
          [waybill, folder]: [string, string],
        ) =>
          (await import('#cli/commands/verify')).verify(shell, {
            waybill: waybill,
            folder: folder,
            keys,
            all,
          }),
      ),
    )
  const doctor = new Command('doctor')
    .description('find out what is wrong, and what to do')
    .option('--transfer', 'also send and fetch a megabyte; leaves a small package in your Team for a day')
    .addHelpText('after', examples('longshore doctor', 'longshore doctor --transfer'))
    .action(
      doing(async (shell, options: DoctorOptions) =>
        (await import('#cli/commands/doctor')).doctor(shell, self, options),
      ),
    )
  return [verify, doctor]
}

function completionCommand(): Command {
  return new Command('completion')
    .description('print the completion of a shell')
    .addArgument(new Command().createArgument('<shell>', 'bash, zsh or fish').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'source <(longshore completion bash)                          # in ~/.bashrc',
        'longshore completion zsh > "${fpath[1]}/_longshore"',
        'longshore completion fish > ~/.config/fish/completions/longshore.fish',
      ),
    )
    .action(
      doing(async (shell, _options: AgentWish, [name]: ['bash' | 'zsh' | 'fish']) =>
        shell.print((await import('#cli/completion')).completionScript(name)),
      ),
    )
}

/** What the scripts of `completion` call at every Tab. */
function completeCommand(program: Command): Command {
  return new Command('complete').argument('[word...]').action(
    doing(async (shell, options: AgentWish, [words]: [readonly string[]]) => {
      const { candidates } = await import('#cli/completion')
      for (const candidate of await candidates(program, words, shell, options)) shell.print(candidate)
    }),
  )
}
