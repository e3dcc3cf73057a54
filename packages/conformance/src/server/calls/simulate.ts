import { runCommand } from '../../shell.ts'

/** The outcome of a call, as named in the glossary. @inline */
export type PlayedOutcome = 'answered' | 'missed' | 'rejected' | 'no_recording' | 'nothing_said'

/** A call to make. @inline */
export type PlayedCall = { readonly outcome: PlayedOutcome; readonly channel: 'PSTN' | 'WHATSAPP' }

/** Plays a call on the examined server and resolves to its id. */
export type PlayCall = (call: PlayedCall) => Promise<string>

/** A subscription to a WABA number that only this run uses to create groups. @inline */
type AddedSubscription = { readonly wabaNumber: string; rotateSecret(): Promise<string> }

/** Actions that only the examined server can perform. All are optional. */
export type Simulate = {
  /** Generates the summary of a call again or, if summaries are manual, for the first time, as a team member does. */
  readonly regenerateSummary?: ((callId: string) => Promise<void>) | undefined
  /** Plays an answered bot test call without webhooks and resolves to its id. */
  readonly playSilentBotTest?: (() => Promise<string>) | undefined
  /** Makes the customer with this phone number join a group, leave it or be removed from it. */
  readonly moveParticipant?:
    | ((move: { groupId: string; phone: string; step: 'joined' | 'left' | 'removed' }) => Promise<void>)
    | undefined
  /**
   * Subscribes a URL to another WABA number of the organization, with static headers and the examination's `secret`.
   * Called for two URLs.
   */
  readonly addSubscription?:
    | ((subscription: {
        url: string
        headers: Readonly<Record<string, string>>
      }) => Promise<AddedSubscription>)
    | undefined
  /** Switches the organization to manual summaries, then plays an answered call and resolves to its id. Called last. */
  readonly playManualCall?: (() => Promise<string>) | undefined
}

const maxDurationMs = 60_000

/** Turns a shell command into a function that makes a call. The command prints the call's id as its last line. */
export const playByCommand =
  (command: string): PlayCall =>
  async ({ outcome, channel }) => {
    const filled = command.replaceAll('{outcome}', outcome).replaceAll('{channel}', channel)
    const printed = await runCommand(filled, { timeout: maxDurationMs }).catch((cause: Error) => {
      throw new Error(`The play command failed: ${cause.message}`, { cause })
    })
    const callId = printed.trim().split('\n').at(-1)?.trim()
    if (!callId) throw new Error('The play command printed no call id on standard output.')
    return callId
  }
