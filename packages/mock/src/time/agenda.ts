/** Something that shall happen at a time of the mock's clock. */
export type Appointment = {
  /** Unix time in milliseconds. */
  readonly at: number
  /** What it is, for people: the end of "… is due in 30 s". */
  readonly what: string
  readonly run: () => Promise<unknown>
}

/** What shall happen later. */
export type Agenda = {
  add(appointment: Appointment): void
  /** The earliest time; `undefined` when there is nothing. */
  nextAt(): number | undefined
  /** Removes and returns the first that is due at `now`, in the order of their times. */
  takeDue(now: number): Appointment | undefined
  /** Everything that is to come, earliest first. */
  list(): readonly Appointment[]
}

/** Makes an empty agenda. */
export const createAgenda = (): Agenda => {
  let appointments: readonly Appointment[] = []
  return {
    add: (appointment) => {
      const later = appointments.findIndex(({ at }) => at > appointment.at)
      appointments =
        later === -1
          ? [...appointments, appointment]
          : [...appointments.slice(0, later), appointment, ...appointments.slice(later)]
    },
    nextAt: () => appointments[0]?.at,
    takeDue: (now) => {
      const [first, ...rest] = appointments
      if (first === undefined || first.at > now) return undefined
      appointments = rest
      return first
    },
    list: () => appointments,
  }
}
