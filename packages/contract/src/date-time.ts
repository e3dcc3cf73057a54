/** Allows calendar, week and ordinal dates, basic and extended format, and reduced precision. */
const buildPattern = (): string => {
  const day = String.raw`-?(?:0[1-9]|1[0-2])-?(?:0[1-9]|[12]\d|3[01])`
  const weekday = String.raw`-?W(?:0[1-9]|[1-4]\d|5[0-3])-?[1-7]`
  const ordinal = String.raw`-?[0-3]\d\d`
  const time = String.raw`(?:[01]\d|2[0-3])(?::?[0-5]\d(?::?(?:[0-5]\d|60))?)?(?:[.,]\d+)?|24(?::?00){0,2}`
  const zone = String.raw`Z|[+-](?:[01]\d|2[0-3])(?::?[0-5]\d)?`
  return String.raw`\d{4}(?:${day}|${weekday}|${ordinal})T(?:${time})(?:${zone})?`
}

/** Matches an ISO 8601 date-time. */
export const dateTime: RegExp = /* @__PURE__ */ (() => new RegExp(`^${buildPattern()}$`))()

/** Matches an ISO 8601 date-time or the empty string. */
export const dateTimeOrEmpty: RegExp = /* @__PURE__ */ (() => new RegExp(`^(?:${buildPattern()})?$`))()
