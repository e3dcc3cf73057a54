// Makes the clocks of this process run 50 times as fast, as if everything took 50 times as long.

const rate = 50

const speedUp = (now: () => number): (() => number) => {
  const start = now()
  return () => start + rate * (now() - start)
}

Object.assign(performance, { now: speedUp(performance.now.bind(performance)) })
Object.assign(Date, { now: speedUp(Date.now) })
