"""Counting convolutional networks layer by layer: parameters, work and kept activations of one picture."""

from assessments.sizing.architectures.extent import Grid

KEPT_BYTES = 2  # 16-bit


class Counter:
    """Adds up a network while a picture of `side` pixels runs through it.

    Kept bytes: the input of every convolution and of every norm, 16-bit; activations that work in place keep none.
    """

    def __init__(self, *, side: int) -> None:
        self.native = side
        self.side = float(side)
        self.params = 0
        self.macs = 0.0
        self.attention_macs = 0.0
        self.kept = 0.0  # elements

    def conv(
        self, inputs: int, outputs: int, *, kernel: int, stride: int = 1, groups: int = 1, bias: bool = False
    ) -> None:
        """A square convolution with `same` padding: k²·in/groups·out weights."""
        self.keep(inputs)
        self.side /= stride
        weights = kernel * kernel * (inputs // groups) * outputs
        self.params += weights + (outputs if bias else 0)
        self.macs += weights * self.side**2

    def branch(self, inputs: int, outputs: int, *, stride: int) -> None:
        """A 1×1 projection beside the main path, with its norm."""
        weights = inputs * outputs
        pixels = (self.side / stride) ** 2
        self.params += weights + 2 * outputs
        self.macs += weights * pixels
        self.kept += outputs * pixels

    def linear(self, inputs: int, outputs: int, *, bias: bool = True, per_pixel: bool = True) -> None:
        """A linear map of every pixel, or of one vector per sample."""
        self.params += inputs * outputs + (outputs if bias else 0)
        self.macs += inputs * outputs * (self.side**2 if per_pixel else 1)
        if per_pixel:
            self.keep(inputs)

    def attention(self, width: int, keys: float | None = None) -> None:
        """QKᵀ and AV of every pixel against `keys` positions (None: all pixels)."""
        pixels = self.side**2
        if keys is None:
            self.attention_macs += 2 * width * pixels * pixels
        else:
            self.macs += 2 * width * pixels * keys
        self.kept += 4 * width * pixels

    def norm(self, channels: int) -> None:
        """A batch, layer or group norm with scale and shift; its input is kept."""
        self.params += 2 * channels
        self.keep(channels)

    def pool(self, factor: int) -> None:
        """A smaller picture."""
        self.side /= factor

    def grow(self, factor: int) -> None:
        """A larger picture."""
        self.side *= factor

    def keep(self, channels: int) -> None:
        """Keep this many channels of every pixel for the backward pass."""
        self.kept += channels * self.side**2

    def grid(self, *, source: str, downsample: int = 1) -> Grid:
        """The sums as a grid; `downsample`: picture pixels per side of one of ours (a VAE)."""
        return Grid(
            unit="pixel",
            reference_units=(self.native * downsample) ** 2,
            forward_flops=2 * (self.macs + self.attention_macs),
            attention_flops=2 * self.attention_macs,
            activation_bytes=KEPT_BYTES * self.kept,
            source=source,
        )
