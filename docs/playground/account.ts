/** The credentials of the shop's deliveries. They are public: nothing outside this page accepts them. */
export const secret = 'whsec_cGxheWdyb3VuZC1vZi10aGUtc2l0ZS1wbGF5Z3JvdW5k'
export const bearerToken = 'bearer-token-of-the-playground'
export const tokenInUrl = 'token-in-the-url-of-the-playground'
