/** The outcome of a call, in the words of the glossary. */
export type PlayedOutcome =
  | 'answered'
  | 'missed'
  | 'rejected'
  | 'not_picked'
  | 'no_recording'
  | 'nothing_said'

/** A call to make. */
export type PlayedCall = { readonly outcome: PlayedOutcome; readonly channel: 'PSTN' | 'WHATSAPP' }

/** Plays a call on the examined server, and resolves with the call's id. */
export type PlayCall = (call: PlayedCall) => Promise<string>

/** A step of a participant of a group. */
export type ParticipantStep = 'joined' | 'left' | 'removed'

/** Functions that only the examined server can perform. Each is optional. */
export type Simulate = {
  /** Generates the summary of a call again. */
  readonly regenerateSummary?: ((callId: string) => Promise<void>) | undefined
  /** Plays an answered bot test call without webhooks, and resolves with its id. */
  readonly playSilentBotTest?: (() => Promise<string>) | undefined
  /** Lets the customer with this phone number join a group, leave it or be removed from it. */
  readonly moveParticipant?:
    | ((move: { groupId: string; phone: string; step: ParticipantStep }) => Promise<void>)
    | undefined
}
