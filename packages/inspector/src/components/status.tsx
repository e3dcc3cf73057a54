import type { Delivery, ListedSubscription, Subscription } from '@wabakit/server/control-types'
import type { ComponentChildren } from 'preact'
import { reloadAll } from '../api/reload.ts'
import { Facts } from './facts.tsx'

type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'idle'

type BadgeProps = { readonly tone: Tone; readonly about?: string; readonly children: ComponentChildren }

/** A state in words, which must be clear without the color. */
export const Badge = ({ tone, about, children }: BadgeProps) => (
  <span class={`badge ${tone}`} title={about}>
    {children}
  </span>
)

export const Problem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <p class="problem" role="alert">
      {text}
    </p>
  ) : null

/** A record or list that could not be loaded, with a button that loads everything in view again. */
export const LoadProblem = ({ text }: { readonly text: string | undefined }) =>
  text ? (
    <div class="problem line" role="alert">
      <span>{text}</span>
      <button type="button" class="button" onClick={reloadAll}>
        Try again
      </button>
    </div>
  ) : null

const deliveryTones: Readonly<Record<string, Tone>> = {
  delivered: 'good',
  exhausted: 'bad',
  waiting: 'idle',
  skipped: 'idle',
}

export const statusTexts: Readonly<Record<Delivery['status'], string>> = {
  waiting: 'an earlier event of the same call or group has to arrive first',
  pending: 'the next attempt is scheduled',
  attempting: 'an attempt is in progress',
  delivered: 'the endpoint responded with 200 to 299',
  exhausted: 'every scheduled attempt failed; it can be resent',
  skipped: 'given up, because the subscription was disabled or it was canceled; it can be resent',
}

const stateTones = {
  working: 'good',
  untried: 'idle',
  behind: 'warn',
  failing: 'bad',
  disabled: 'idle',
} as const

export const stateTexts: Readonly<Record<ListedSubscription['state'], string>> = {
  working: 'no attempt has failed since the last success',
  untried: 'no attempt since it was created, enabled again or got another URL',
  behind: 'its oldest due delivery has waited for more than a minute',
  failing: 'an attempt has failed since the last success',
  disabled: 'it gets no events until it is enabled',
}

export const EndpointState = ({ state }: Pick<ListedSubscription, 'state'>) => (
  <Badge tone={stateTones[state]} about={`${state}: ${stateTexts[state]}`}>
    {state}
  </Badge>
)

export const disabledTexts: Readonly<Record<NonNullable<Subscription['disabledReason']>, string>> = {
  gone: 'the endpoint responded with 410',
  failing: 'all attempts failed for 5 days',
  by_hand: 'disabled by hand',
}

export const StatusHelp = () => (
  <details class="status-help">
    <summary>What waiting, pending, attempting, exhausted and skipped mean</summary>
    <Facts facts={statusTexts} />
  </details>
)

export const DeliveryStatus = ({ status }: Pick<Delivery, 'status'>) => (
  <Badge tone={deliveryTones[status] ?? 'busy'} about={`${status}: ${statusTexts[status]}`}>
    {status}
  </Badge>
)

export const HttpStatus = ({ status }: { readonly status: number | null }) => {
  if (status === null) return <Badge tone="bad">no response</Badge>
  return <Badge tone={status >= 200 && status < 300 ? 'good' : 'bad'}>{String(status)}</Badge>
}
