import { multiconnectStatus, setInterface, setMulticonnect } from '@longshore/contract/agent/settings'
import { type AgentWish, needAgent } from '#cli/agent/connection'
import { showRate } from '#cli/human/rate'
import { isOn } from '#cli/settings/words'
import type { Shell } from '#cli/shell'

export interface InterfaceOptions extends AgentWish {
  readonly use?: readonly string[]
  readonly avoid?: readonly string[]
}

/** Shows or sets which network interfaces carry transfers. */
export async function interfaces(
  shell: Shell,
  onOff: string | undefined,
  { use = [], avoid = [], ...wish }: InterfaceOptions,
): Promise<void> {
  const enabled = onOff === undefined ? undefined : isOn(onOff)
  const agent = await needAgent(shell, wish)
  if (enabled !== undefined) await agent.call(setMulticonnect, { body: { enabled } })
  for (const iface_id of use) await agent.call(setInterface, { params: { iface_id }, body: { enabled: true } })
  for (const iface_id of avoid) await agent.call(setInterface, { params: { iface_id }, body: { enabled: false } })
  const after = await agent.call(multiconnectStatus)
  if (shell.json) return shell.print(JSON.stringify(after))
  shell.print(after.enabled ? 'on' : 'off')
  for (const { name, enabled, addresses, tx_bps, rx_bps } of after.interfaces) {
    shell.print(
      `${name}  ${enabled ? 'used' : 'avoided'}, ${addresses.join(', ')}, ↑ ${showRate(tx_bps)} ↓ ${showRate(rx_bps)}`,
    )
  }
}
