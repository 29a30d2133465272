/**
 * The perceptual colour maps of matplotlib (CC0), 256 entries of red, green and blue each, in base64.
 * Made with `matplotlib.colormaps[name](range(256), bytes=True)`.
 */

/** The map `viridis`. */
export const viridis: string =
  "RAFURAJVRANXRQVYRQZaRQhbRglcRgteRgxfRg5hRw9iRxFjRxJlRxRmRxVnRxZpRxhqSBlrSBpsSBxuSB1vSB5wSCBxSCFySCJz" +
  "SCN0RyV1RyZ2Ryd3Ryh4Ryp5Ryt6Ryx7Ri18Ri98RjB9RjF+RTJ/RTR/RTWARTaBRDeBRDmCQzqDQzuDQzyEQj2EQj6FQkCFQUGG" +
  "QUKGQEOHQESHP0WHP0eIPkiIPkmJPUqJPUuJPUyJPE2KPE6KO1CKO1GKOlKLOlOLOVSLOVWLOFaLOFeMN1iMN1mMNlqMNluMNVyM" +
  "NV2MNF6NNF+NM2CNM2GNMmKNMmONMWSNMWWNMWaNMGeNMGiNL2mNL2qNLmuOLmyOLm2OLW6OLW+OLHCOLHGOLHKOK3OOK3SOKnWO" +
  "KnaOKneOKXiOKXmOKHqOKHqOKHuOJ3yOJ32OJ36OJn+OJoCOJoGOJYKOJYONJISNJIWNJIaNI4eNI4iNI4mNIomNIoqNIouNIYyN" +
  "IY2MIY6MII+MIJCMIJGMH5KMH5OLH5SLH5WLH5aLHpeKHpiKHpmKHpmKHpqJHpuJHpyJHp2IHp6IHp+IHqCHH6GHH6KGH6OGIKSF" +
  "IKWFIaaFIaeEIqeEI6iDI6mCJKqCJauBJqyBJ62AKK5/Ka9/KrB+K7F9LLF9LrJ8L7N7MLR6MrV6M7Z5Nbd4Nrh3OLl2Obl2O7p1" +
  "Pbt0PrxzQL1yQr5xRL5wRb9vR8BuScFtS8JsTcJrT8NpUcRoU8VnVcZmV8ZlWcdkW8hiXslhYMlgYspfZMtdZ8xcacxba81Zbc5Y" +
  "cM5Wcs9VdNBUd9BSedFRfNJPftJOgdNMg9NLhtRJiNVHi9VGjdZEkNZDktdBldc/l9g+mtg8ndk6n9k4oto3pdo1p9szqtsyrdww" +
  "r9wust0std0rt90put4nvd4mv98kwt8ixd8hx+AfyuAezeAdz+Ec0uEb1OEa1+IZ2uIY3OIY3+MY4eMY5OMY5+QZ6eQZ7OQa7uUb" +
  "8eUc8+Ue9uYf+OYh+uYi/eck";

/** The map `magma`. */
export const magma: string =
  "AAADAAAEAAAGAQAHAQEJAQELAgINAgIPAwMRBAMTBAQVBQQXBgUZBwUbCAYdCQcfCgciCwgkDAkmDQooDgoqDwssEAwvEQwxEg0z" +
  "FA01FQ44Fg46Fw88GA8/GhBBGxBEHBBGHhBJHxFLIBFNIhFQIxFSJRFVJhFXKBFZKhFcKxFeLRBgLxBiMBBlMhBnNBBoNQ9qNw9s" +
  "OQ9uOw9vPA9xPg9yQA9zQg90Qw91RQ92Rw93SBB4ShB5SxB5TRF6TxF7UBJ7UhJ8UxN8VRN9VxR9WBV+WhV+WxZ+XRd+Xhd/YBh/" +
  "YRh/Yxl/ZRqAZhqAaBuAaRyAaxyAbB2Abh6Bbx6BcR+Bcx+BdCCBdiGBdyGBeSKBeiKBfCOBfiSBfySBgSWBgiWBhCaBhSaBhyeB" +
  "iSiBiiiBjCmAjSmAjyqAkSqAkiuAlCuAlSyAlyx/mS1/mi1/nC5/ni5+ny9+oS9+ozB+pDB9pjF9pzF9qTJ8qzN8rDN7rjR7sDR7" +
  "sTV6szV6tTZ5tjZ5uDd4uTd4uzh3vTl3vjl2wDp1wjp1wzt0xTx0xjxzyD1yyj5yyz5xzT9wzkBw0EFv0UJu00Jt1ENt1kRs10Vr" +
  "2UZq2kdp3Ehp3Ulo3kpn4Etm4Uxm4k1l5E5k5VBj5lFi51Ji6FRh6lVg61Zg7Fhf7Vlf7lte7l1d715d8GBd8WFc8mNc82Vc82db" +
  "9Ghb9Wpb9Wxb9m5b9nBb93Fb93Nc+HVc+Hdc+Xlc+Xtd+X1d+n9e+oBe+oJf+4Rg+4Zg+4hh+4pi/Ixj/I5j/JBk/JJl/JNm/ZVn" +
  "/Zdo/Zlp/Ztq/Z1r/Z9s/aFu/aJv/aRw/qZx/qhz/qp0/qx1/q52/q94/rF5/rN7/rV8/rd9/rl//ruA/ryC/r6D/sCF/sKG/sSI" +
  "/saJ/seL/smN/suO/c2Q/c+S/dGT/dKV/dSX/daY/dia/dqc/dyd/d2f/d+h/eGj/OOl/OWm/Oao/Oiq/Oqs/Oyu/O6w/PCx/PGz" +
  "/PO1/PW3+/e5+/m7+/q9+/y/";

/** The map `inferno`. */
export const inferno: string =
  "AAADAAAEAAAGAQAHAQEJAQELAgEOAgIQAwISBAMUBAMWBQQYBgQbBwUdCAYfCQYhCgcjCwcmDQgoDggqDwktEAkvEgoyEwo0FAs2" +
  "Fgs5Fws7GQs+GgtAHAxDHQxFHwxHIAxKIgtMJAtOJgtQJwtSKQtUKwpWLQpYLgpaMApcMgldNAlfNQlgNwlhOQliOwlkPAllPglm" +
  "QAlmQQlnQwpoRQppRgppSAtqSgtqSwxrTQxrTw1sUA1sUg5sUw5tVQ9tVw9tWBBtWhFtWxFuXRJuXxJuYBNuYhRuYxRuZRVuZhVu" +
  "aBZuahduaxdubRhubhhucBluchltcxptdRttdhtteBxtehxtex1sfR1sfh5sgB9rgR9rgyBrhSBqhiFqiCFqiSJpiyJpjSNpjiRo" +
  "kCRokSVnkyVnlSZmliZmmCdlmShkmyhknCljniljoCpioSthoythpCxgpixfpy1fqS5eqy5drC9crjBbrzFbsTFasjJZtDNYtTNX" +
  "tzRWuDVWujZVuzdUvTdTvjhSvzlRwTpQwjtPxDxOxT1Nxz5MyD5LyT9Ky0BJzEFIzUJHz0RG0EVE0UZD0kdC1EhB1UlA1ko/10s+" +
  "2U092k4720863FA53VI43lM331Q24FY04lcz41gy5Fox5Vsw5lwu5l4t518s6GEr6WIq6mQo62Un7Gcm7Wgl7Woj7mwi720h8G8f" +
  "8HAe8XId8nQc8nUa83cZ83kY9HoW9XwV9X4U9oAS9oER94MQ94UO+IcN+IgM+IoL+YwJ+Y4I+ZAI+pEH+pMG+pUG+pcG+5kG+5sG" +
  "+50G+54H+6AH+6II+6QK+6YL+6gN+6oO+6wQ+64S+7AU+7EW+7MY+7Ua+7cc+7ke+rsh+r0j+r8l+sEo+cMq+cUs+ccv+Mkx+Ms0" +
  "+M03988699E89tM/9tVC9ddF9dlI9NtL9NxP895S8+BW8+JZ8uRd8uZg8ehk8elo8ets8e1w8e508fB58fJ98vOB8vSF8/aJ9PeN" +
  "9fiR9vqV9/uZ+fyd+v2g/P6k";

/** The map `cividis`. */
export const cividis: string =
  "ACJNACNPACNQACRSACVUACZVACZXACdZAChbAChcACleACpgACpiACtkACxmACxnAC1pAC5rAC9tAC9vADBwADBwADFwADFwBDJw" +
  "CDNwCzNwDjRwETVvFDZvFjZvGDdvGjhvHDhuHTluHzpuITtuIjtuJDxuJT1tJz1tKD5tKj9tKz9tLEBtLkFsL0JsMEJsMUNsMkRs" +
  "NERsNUVsNkZsN0ZsOEdsOUhsOkhrO0lrPUprPktrP0trQExrQU1rQk1rQ05rRE9rRU9rRlBrR1FrSFFrSVJrSlNrS1RsTFRsTVVs" +
  "TlZsTlZsT1dsUFhsUVhsUllsU1psVFpsVVttVlxtV11tWF1tWV5tWV9tWl9tW2BuXGFuXWFuXmJuX2NuYGRuYWRvYWVvYmZvY2Zv" +
  "ZGdvZWhwZmlwZ2lwaGpwaGtxaWtxamxxa21xbG1ybW5ybm9ybnBzb3BzcHFzcXJzcnN0c3N0dHR1dHV1dXV1dnZ2d3d2eHh2eXh3" +
  "eXl3enp3e3t3fHt4fXx4fn14f314gH54gX94goB4g4B4hIF4hYJ4hYN4hoN4h4R4iIV4iYZ4ioZ4i4d4jIh4jYl4jol4j4p3kIt3" +
  "kYx3kox3k413lI53lY93lo93l5B2mJF2mZJ2mpN2m5N2nJR2nZV1npZ1n5Z1oJd1oZh0opl0o5p0pJp0pZtzppxzp51zqJ5zqZ5y" +
  "qp9yq6ByrKFxraJxrqJxr6NwsKRwsaVwsqZvs6ZvtKdvtahutqlut6ptuKttuattuqxsu61svK5rva9rvrBqv7BqwbFpwrJpw7No" +
  "xLRoxbVnxrVnx7ZmyLdlybhlyrlky7pkzLtjzbxizrxiz71h0L5g0r9g08Bf1MFe1cJe1sNd18Nc2MRb2cVa2sZa28dZ3MhY3slX" +
  "38pW4MtV4cxU4sxT481S5M5R5c9Q5tBP6NFO6dJN6tNM69RL7NVK7dZI7tdH79hG8dlE8tpD89pC9NtA9dw/9t09+N47+d86+uA4" +
  "++E2/eI0/eMz/eU0/eY2/ec3";
