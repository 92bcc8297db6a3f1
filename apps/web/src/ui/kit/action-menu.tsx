import { Ellipsis, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button, Menu, MenuItem, MenuTrigger, Popover } from 'react-aria-components'

export interface Action {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  readonly isDangerous?: boolean
  readonly onAction: () => void
}

interface ActionMenuProps {
  /** What the menu is about, for those who do not see where it stands. */
  readonly label: string
  readonly actions: readonly Action[]
  /** In place of the three dots; then it names the button too. */
  readonly children?: ReactNode
  readonly className?: string
}

export function ActionMenu({ label, actions, children, className }: ActionMenuProps) {
  return (
    <MenuTrigger>
      <Button
        className={className ?? 'button button-quiet button-icon button-small'}
        {...(children === undefined ? { 'aria-label': label } : {})}
      >
        {children ?? <Ellipsis size={18} aria-hidden />}
      </Button>
      <Popover className="popover" placement="bottom end">
        <Menu className="menu" aria-label={label}>
          {actions.map(({ id, label: name, icon: Icon, isDangerous = false, onAction }) => (
            <MenuItem
              key={id}
              id={id}
              textValue={name}
              className={isDangerous ? 'menu-item menu-item-danger' : 'menu-item'}
              onAction={onAction}
            >
              <Icon size={17} aria-hidden />
              {name}
            </MenuItem>
          ))}
        </Menu>
      </Popover>
    </MenuTrigger>
  )
}
