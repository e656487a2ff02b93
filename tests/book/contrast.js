(selector) => {
    const parse = (colour) => {
        const [r, g, b, a = 1] = colour.match(/[\d.]+/g).map(Number);
        return [r, g, b, a];
    };
    const luminance = (colour) => {
        const [r, g, b] = colour.slice(0, 3).map((value) => {
            const part = value / 255;
            return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (element) => {
        for (let at = element; at; at = at.parentElement) {
            const colour = parse(getComputedStyle(at).backgroundColor);
            if (colour[3] > 0.99) return colour;
        }
        return [255, 255, 255, 1];
    };
    const ratios = [...document.querySelectorAll(selector)].map((element) => {
        const pair = [parse(getComputedStyle(element).color), behind(element)].map(luminance);
        return (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    });
    return Math.min(21, ...ratios);
}
