import type { EmittedEvent, EmittedEventName, EmittedEventOf } from '@wabakit/contract'

/** An event that happened, and where. */
export type Emission<Event extends EmittedEvent = EmittedEvent> = {
  /** The event's id; also the `webhook-id` of its deliveries. */
  readonly id: string
  readonly organizationId: string
  /** Unix time in milliseconds. */
  readonly occurredAt: number
  readonly event: Event
}

/** What can be listened to: an event's name, or `'*'` for all. */
export type EmissionName = EmittedEventName | '*'

/** The event that a listener of `Name` gets. */
export type EmissionEventOf<Name extends EmissionName> = Name extends EmittedEventName
  ? EmittedEventOf<Name>
  : EmittedEvent

/** Called with each event of a name. May be async; what it throws goes to `onError` and harms nobody else. */
export type EmissionListener<Name extends EmissionName = '*'> = (
  event: EmissionEventOf<Name>,
  emission: Emission<EmissionEventOf<Name>>,
) => unknown

/**
 * Where the events of this process can be observed, whether or not any webhook is subscribed to them. What another
 * process on the same store does is not heard here.
 */
export type EventObservation = {
  /**
   * Calls `listener` with each event of this name, after it was stored.
   *
   * @returns stops it.
   */
  on<Name extends EmissionName>(name: Name, listener: EmissionListener<Name>): () => void
  /**
   * Like `on`, for the next event only.
   *
   * @returns stops it.
   */
  once<Name extends EmissionName>(name: Name, listener: EmissionListener<Name>): () => void
  /** Stops what `on` or `once` began with the same name and listener. */
  off<Name extends EmissionName>(name: Name, listener: EmissionListener<Name>): void
}

/** An observable that can also emit. */
export type EventEmitter = EventObservation & { emit(emission: Emission): void }

type Registration = { readonly listener: EmissionListener; readonly once: boolean }

/** Makes the emitter; `onError` gets what a listener threw or rejected with. */
export const createEventEmitter = (onError: (error: unknown) => void): EventEmitter => {
  const registrations = new Map<EmissionName, Set<Registration>>()

  const remove = (name: EmissionName, registration: Registration): void => {
    registrations.get(name)?.delete(registration)
  }

  const add = <Name extends EmissionName>(name: Name, listener: EmissionListener<Name>, once: boolean) => {
    // What is kept under a name is called with events of that name only.
    const registration: Registration = { listener: listener as unknown as EmissionListener, once }
    const ofName = registrations.get(name) ?? new Set()
    registrations.set(name, ofName.add(registration))
    return () => remove(name, registration)
  }

  const call = async ({ listener }: Registration, emission: Emission): Promise<void> => {
    try {
      await listener(emission.event, emission)
    } catch (error) {
      onError(error)
    }
  }

  return {
    on: (name, listener) => add(name, listener, false),
    once: (name, listener) => add(name, listener, true),
    off: (name, listener) => {
      for (const registration of registrations.get(name) ?? []) {
        if (registration.listener === (listener as unknown)) remove(name, registration)
      }
    },
    emit: (emission) => {
      for (const name of [emission.event.event, '*'] as const) {
        for (const registration of [...(registrations.get(name) ?? [])]) {
          if (registration.once) remove(name, registration)
          void call(registration, emission)
        }
      }
    },
  }
}
