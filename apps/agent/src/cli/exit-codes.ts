/** What the command ends with. Scripts rely on these; docs/longshore.md explains them. */
export const exitCodes = {
  done: 0,
  failed: 1,
  misuse: 2,
  noSession: 3,
  unreachable: 4,
  interrupted: 130,
} as const

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]
