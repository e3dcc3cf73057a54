/** What the subscription of the shop sends with each delivery. Only this page knows it, so it is no secret. */
export const secret = 'whsec_cGxheWdyb3VuZC1vZi10aGUtc2l0ZS1wbGF5Z3JvdW5k'
export const bearerToken = 'bearer-token-of-the-playground'
export const tokenInUrl = 'token-in-the-url-of-the-playground'
