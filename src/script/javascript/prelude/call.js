// The call. Each look goes to the host once, which records it; nothing is read ahead.

function mapOf(pairs) {
    const map = new HashMap();
    for (let i = 0; i < pairs.length; i += 2) map.put(pairs[i], pairs[i + 1]);
    return map;
}

// Arguments as an array whose elements are read when they are looked at.
function lazyArguments() {
    const list = [];
    for (let at = 0, count = host.argumentCount(); at < count; at++) {
        let known = false;
        let value;
        const set = (other) => { known = true; value = other; };
        const get = () => { if (!known) set(host.argument(at)); return value; };
        defineProperty(list, at, { get, set, enumerable: true, configurable: true });
    }
    return list;
}

class Attachments {
    #own = null;
    #all = null;
    #look(key) {
        const own = this.#own === null ? undefined : this.#own.get(String(key));
        return own === undefined ? host.attachment(String(key)) : own;
    }
    // As Java's: an empty one is as good as none where there is another value for it.
    attachment(key, fallback) {
        const value = this.#look(key);
        return fallback !== undefined && (value === null || value === "") ? fallback : value;
    }
    get attachments() {
        if (this.#all === null) this.#all = mapOf(host.attachments());
        if (this.#own !== null) for (const [key, value] of this.#own) this.#all.put(key, value);
        return this.#all;
    }
    get(key, fallback) { return this.attachment(key, fallback); }
    getAttachment(key, fallback) { return this.attachment(key, fallback); }
    getObjectAttachment(key, fallback) {
        const value = this.#look(key);
        return value === null && fallback !== undefined ? fallback : value;
    }
    getAttachments() { return this.attachments; }
    getObjectAttachments() { return this.attachments; }
    setAttachment(key, value) {
        if (this.#own === null) this.#own = new NativeMap();
        this.#own.set(String(key), value === undefined ? null : value);
        return this;
    }
    setAttachmentIfAbsent(key, value) { if (this.attachment(key) === null) this.setAttachment(key, value); }
    removeAttachment(key) { return this.setAttachment(key, null); }
}

// The caller's attachments; what else Dubbo keeps in its context is no part of a call.
class Context extends Attachments {
    getMethodName() { return host.method(); }
    getArguments() { return lazyArguments(); }
}

class Invocation extends Attachments {
    #arguments = null;
    #attributes = null;
    get method() { return host.method(); }
    get target_method() { return host.targetMethod(); }
    get arguments() { return this.getArguments(); }
    get service() { return host.service(); }
    get parameter_types() { return host.parameterTypes(); }
    getMethodName() { return host.method(); }
    getArguments() { if (this.#arguments === null) this.#arguments = lazyArguments(); return this.#arguments; }
    getParameterTypes() { return host.parameterTypes().map((name) => new JavaClass(name)); }
    getCompatibleParamSignatures() { return host.parameterTypes(); }
    getServiceName() { return host.serviceName(); }
    getTargetServiceUniqueName() { return host.service(); }
    getProtocolServiceKey() { return host.service(); }
    getInvoker() { return null; }
    getAttributes() { if (this.#attributes === null) this.#attributes = new HashMap(); return this.#attributes; }
    get(key) { return this.getAttributes().get(key); }
    put(key, value) { return this.getAttributes().put(key, value); }
    toString() { return "Invocation [method=" + host.method() + "]"; }

    MethodName() { return host.method(); }
    ActualMethodName() { return host.targetMethod(); }
    IsGenericInvocation() { const name = host.method(); return (name === "$invoke" || name === "$invokeAsync") && host.argumentCount() === 3; }
    Arguments() { return this.getArguments(); }
    ParameterTypes() { return host.parameterTypes(); }
    ParameterTypeNames() { return host.parameterTypes(); }
    ParameterValues() { return this.getArguments(); }
    ParameterRawValues() { return this.getArguments(); }
    Reply() { return null; }
    SetReply() {}
    Attachments() { return this.attachments; }
    GetAttachment(key) { const value = this.attachment(key); return value === null ? undefined : value; }
    GetAttachmentWithDefaultValue(key, fallback) { return this.getObjectAttachment(key, fallback); }
    GetAttachmentInterface(key) { return this.attachment(key); }
    GetAttachmentAsContext() { return this; }
    SetAttachment(key, value) { this.setAttachment(key, value); }
    Attributes() { return this.getAttributes(); }
    GetAttribute(key) { const value = this.getAttributes().get(key); return value === null ? undefined : value; }
    GetAttributeWithDefaultValue(key, fallback) { return this.getAttributes().getOrDefault(key, fallback); }
    SetAttribute(key, value) { this.getAttributes().put(key, value); }
    Invoker() { return null; }
    ServiceKey() { return host.service(); }
}
