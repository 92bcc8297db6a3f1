import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { Dialog, Heading, Modal, ModalOverlay } from 'react-aria-components'
import { useText } from '#text/use-text.tsx'

interface DialogBoxProps {
  readonly title: string
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly wide?: boolean
  /** Cannot be closed by a click beside it: what it shows is shown once. */
  readonly mustAnswer?: boolean
  readonly children: ReactNode
}

export function DialogBox({ title, isOpen, onClose, wide = false, mustAnswer = false, children }: DialogBoxProps) {
  const text = useText()
  return (
    <ModalOverlay
      className="veil"
      isOpen={isOpen}
      onOpenChange={(open) => !open && onClose()}
      isDismissable={!mustAnswer}
      isKeyboardDismissDisabled={mustAnswer}
    >
      <Modal className={wide ? 'dialog-box dialog-box-wide' : 'dialog-box'}>
        <Dialog className="dialog">
          <div className="flex items-start gap-4">
            <Heading slot="title" className="flex-1 text-lg wrap-anywhere">
              {title}
            </Heading>
            {!mustAnswer && (
              <button
                type="button"
                className="button button-quiet button-icon button-small -mr-2"
                aria-label={text('ui.close')}
                onClick={onClose}
              >
                <X size={18} aria-hidden />
              </button>
            )}
          </div>
          {children}
        </Dialog>
      </Modal>
    </ModalOverlay>
  )
}
