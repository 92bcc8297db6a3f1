/** A unit for the systemd of one user: the agent starts when they log in, and again should it ever fall over. */
export const systemdUnit = (command: readonly string[], env: Readonly<Record<string, string>>): string => `[Unit]
Description=Longshore transfer agent

[Service]
ExecStart=${[...command, 'agent', 'run'].map(quoted).join(' ')}
${Object.entries(env)
  .map(([name, value]) => `Environment=${quoted(`${name}=${value}`)}\n`)
  .join('')}Restart=on-failure
RestartSec=5
# It closes its journal within 5 seconds.
TimeoutStopSec=15
NoNewPrivileges=yes
UMask=0077

[Install]
WantedBy=default.target
`

/** A word as systemd reads it: specifiers, variables and backslashes mean themselves. */
function quoted(word: string): string {
  const plain = word.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')
  return /[\s"'\\;]/.test(word) ? `"${plain}"` : plain
}
