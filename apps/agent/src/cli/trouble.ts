import { ApiError } from '@longshore/client/client'
import { type ExitCode, exitCodes } from '#cli/exit-codes'
import { Misuse } from '#cli/misuse'
import { harmless } from '#cli/terminal/text'

/** Something that ends a command, in words for whoever called it. */
export class Trouble extends Error {
  override readonly name = 'Trouble'
  readonly exitCode: ExitCode
  /** What to do next. */
  readonly hint: string | undefined

  constructor(
    message: string,
    more: { readonly exitCode?: ExitCode; readonly hint?: string; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: more.cause })
    this.exitCode = more.exitCode ?? exitCodes.failed
    this.hint = more.hint
  }
}

/** Ctrl-C at a question, or while waiting. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted'
}

export interface Explained {
  readonly message: string
  readonly hint?: string | undefined
  readonly exitCode: ExitCode
  /** The stable name that the API gave the error. */
  readonly error?: string
}

/** What is said of an error, and what the command ends with. */
export function explain(error: unknown): Explained {
  if (error instanceof Misuse) return { message: error.message, exitCode: exitCodes.misuse }
  if (error instanceof Interrupted) return { message: error.message, exitCode: exitCodes.interrupted }
  if (error instanceof Trouble) return { message: error.message, hint: error.hint, exitCode: error.exitCode }
  if (error instanceof ApiError) return explainRefusal(error)
  // The system says what it could not do, and to which file.
  if (error instanceof Error && 'syscall' in error) return { message: error.message, exitCode: exitCodes.failed }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { message: `Something happened that should not: ${stack}`, exitCode: exitCodes.failed }
}

/** Refusals that a hint of ours helps with more than their own words. */
const hints: Readonly<Record<string, string>> = {
  session_is_nil: 'longshore login',
  agent_token_wrong: 'longshore agent status   # shows which agent is meant',
  cloud_unreachable: 'longshore doctor',
  link_password_required: 'Add --password to be asked for it, or --password-file FILE.',
}

/** What the API says to programs, in words for people. */
const messages: Readonly<Record<string, string>> = {
  session_is_nil: 'Nobody is signed in.',
  agent_token_wrong: 'The agent asks for another token.',
  link_password_required: 'The link has a password.',
  link_password_wrong: 'That is not the password of the link.',
}

function explainRefusal(refused: ApiError): Explained {
  return {
    message: messages[refused.error] ?? wordsOf(refused),
    hint: hints[refused.error],
    exitCode: codeOf(refused),
    error: refused.error,
  }
}

/** Where fields are named, they say it all; a pattern is nothing that a person wants to read. */
function wordsOf({ error, message, details }: ApiError): string {
  const told = details.map(
    ({ field, reason }) => `${field} ${reason.replace(/^must match pattern .*$/s, 'has not the right form')}`,
  )
  const words = error === 'validation_failed' && told.length > 0 ? told : [message]
  return words.map(harmless).join('\n')
}

function codeOf({ error, status }: ApiError): ExitCode {
  if (error === 'session_is_nil' || error === 'agent_token_wrong') return exitCodes.noSession
  if (error === 'cloud_unreachable') return exitCodes.unreachable
  return status === 422 ? exitCodes.misuse : exitCodes.failed
}
