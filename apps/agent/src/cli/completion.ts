import type { Command } from 'commander'
import { type AgentWish, findAgent } from '#cli/agent/connection'
import type { Shell } from '#cli/shell'
import { idOf, listTransfers, shortId } from '#cli/transfer'

/** What the last word could become. Nothing means: file names, which the shell knows better. */
export async function candidates(
  program: Command,
  words: readonly string[],
  shell: Shell,
  wish: AgentWish,
): Promise<string[]> {
  const last = words.at(-1) ?? ''
  const { command, before } = commandAt(program, words.slice(0, -1))
  const beginning = (names: readonly string[]) => names.filter((name) => name.startsWith(last))
  const option = command.options.find(
    ({ long, short }) => before !== undefined && (before === long || before === short),
  )
  if (option?.argChoices !== undefined) return beginning(option.argChoices)
  if (option?.required === true) return []
  if (last.startsWith('-')) return beginning(optionsOf(command, program))
  if (command.commands.length > 0)
    return beginning(command.commands.map((one) => one.name()).filter((name) => name !== 'complete'))
  const [argument] = command.registeredArguments
  if (argument?.argChoices !== undefined) return beginning(argument.argChoices)
  // Those of automations and gateways are others.
  const takesTransfers = command.parent === program && argument?.name() === 'id'
  return takesTransfers ? beginning(await ids(shell, wish)) : []
}

/** The command that the words lead to, and the word before the one that is completed. */
function commandAt(
  program: Command,
  words: readonly string[],
): { readonly command: Command; readonly before: string | undefined } {
  let command = program
  for (const word of words)
    command = command.commands.find((one) => one.name() === word || one.aliases().includes(word)) ?? command
  return { command, before: words.at(-1) }
}

const optionsOf = (command: Command, program: Command): string[] =>
  [...new Set([...command.options, ...program.options])]
    .flatMap(({ long }) => (typeof long === 'string' ? [long] : []))
    .concat('--help')

async function ids(shell: Shell, wish: AgentWish): Promise<string[]> {
  const agent = await findAgent(shell, wish)
  return agent === undefined ? [] : (await listTransfers(agent)).map((transfer) => shortId(idOf(transfer)))
}

const scripts = {
  bash: `_longshore() {
  local IFS=$'\\n'
  COMPREPLY=($(longshore complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _longshore longshore`,
  zsh: `#compdef longshore
_longshore() {
  local -a found
  found=("\${(@f)$(longshore complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${found[1]}" ]]; then compadd -a found; else _files; fi
}
if [[ "$funcstack[1]" == _longshore ]]; then _longshore "$@"; else compdef _longshore longshore; fi`,
  fish: `function __longshore_finds
  set -l words (commandline -opc) (commandline -ct)
  set -g __longshore_found (longshore complete -- $words[2..] 2>/dev/null)
  set -q __longshore_found[1]
end
complete -c longshore -n __longshore_finds -f -a '$__longshore_found'`,
} as const

export const completionScript = (shell: keyof typeof scripts): string => scripts[shell]
