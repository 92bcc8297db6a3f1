import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react'
import type { ReactNode } from 'react'

const looks = {
  info: { className: 'notice', Icon: Info },
  good: { className: 'notice notice-good', Icon: CircleCheck },
  warn: { className: 'notice notice-warn', Icon: TriangleAlert },
  danger: { className: 'notice notice-danger', Icon: CircleAlert },
} as const

interface NoticeProps {
  readonly kind?: keyof typeof looks
  readonly children: ReactNode
}

/** A sentence that stands out. A danger is read out at once, all else when the reader comes to it. */
export function Notice({ kind = 'info', children }: NoticeProps) {
  const { className, Icon } = looks[kind]
  return (
    <div className={className} role={kind === 'danger' ? 'alert' : 'status'}>
      <Icon size={20} aria-hidden />
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  )
}
