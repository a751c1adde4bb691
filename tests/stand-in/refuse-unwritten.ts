/** Makes unimplemented members throw when accessed, because a silent stand-in would prove nothing. */

/** Accessed on any object: by promises, JSON, Node's inspector, event emitters. */
const askedOfAnything = /^(_.*|then|toJSON|constructor|inspect|domain|asymmetricMatch|nodeType|__proto__)$/;

/** Call it once with a prototype or a plain object; `name` is used in errors. */
export function refuseUnwritten(target: object, name: string): void {
  const parent = Object.getPrototypeOf(target) as object;
  const guard = new Proxy(parent, {
    get(object, key, receiver) {
      const isKnown = key in object || typeof key === 'symbol' || askedOfAnything.test(key);
      if (isKnown) return Reflect.get(object, key, receiver) as unknown;
      throw new Error(`The stand-in for Electron does not have ${name}.${key}: write it, after electron.d.ts.`);
    },
  });
  Object.setPrototypeOf(target, guard);
}
