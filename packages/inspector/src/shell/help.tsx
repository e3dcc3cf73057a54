import { Dialog, openDialog } from '../components/dialog.tsx'
import { findKeys } from '../state/keyboard.ts'

const keys = [
  ['j  k', 'next, previous record'],
  ['enter', 'open the record'],
  ['esc', 'close the record, or leave the row'],
  [findKeys, 'find anything'],
  ['/', 'search the list'],
  ['r', 'resend the delivery'],
  ['e', 'edit and send'],
  ['c', 'copy as curl'],
  ['n', 'simulate a call or participant'],
  ['p', 'pause or resume the list'],
  ['m', 'mask personal data'],
  ['g o', 'overview'],
  ['g d', 'deliveries'],
  ['g f', 'failing deliveries'],
  ['g e', 'events'],
  ['g c', 'calls'],
  ['g g', 'groups'],
  ['g s', 'subscriptions'],
  ['g a', 'API requests'],
  ['g k', 'API keys'],
  ['?', 'this list'],
]

export const openHelp = (): void =>
  openDialog((close) => (
    <Dialog title="Keyboard shortcuts" onClose={close}>
      <dl class="keys">
        {keys.map(([key = '', meaning]) => (
          <div key={key}>
            <dt>
              {key.split(/\s+/).map((each) => (
                <kbd key={each}>{each}</kbd>
              ))}
            </dt>
            <dd class="quiet">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  ))
